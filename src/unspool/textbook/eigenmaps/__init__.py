"""Items of S2: the slides on Laplacian eigenmaps; modules are imported by the registry."""

__all__: list[str] = []
