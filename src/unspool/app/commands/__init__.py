"""One module a command, called like it; each holds the click command as ``command``.

Modules are imported when their command is called, never for a list of commands: the table of names
and help lines is in ``app/main.py``.
"""

__all__: list[str] = []
