"""Items of S0: Vidal, Ma, Sastry, chapter 4; modules are imported by the registry."""

__all__: list[str] = []
