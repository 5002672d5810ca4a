"""Items of S4: Izenman, chapter 16; modules are imported by the registry."""

__all__: list[str] = []
