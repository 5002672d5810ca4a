"""Command line, report and explorer."""

__all__: list[str] = []
