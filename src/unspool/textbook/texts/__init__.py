"""The items of the executable textbook, by text and subject: TEXTS lists the modules."""

__all__: list[str] = []
