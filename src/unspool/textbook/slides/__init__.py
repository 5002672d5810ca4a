"""Items of S1: the lecture slides; modules are imported by the registry."""

__all__: list[str] = []
