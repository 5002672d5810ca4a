"""Items of S3: Mohri, Rostamizadeh, Talwalkar, chapter 15; modules are imported by the registry."""

__all__: list[str] = []
