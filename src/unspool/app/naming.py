"""Methods by the names that people type."""

from __future__ import annotations

from difflib import get_close_matches

from unspool.catalog import METHODS, Entry


def entry_called(name: str) -> Entry:
    """Return the method of this name; case and underscores do not matter."""
    wanted = name.strip().lower().replace("_", "-")
    for entry in METHODS.values():
        if wanted in (entry.name, entry.cls.rpartition(".")[2].lower()):
            return entry
    near = get_close_matches(wanted, METHODS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(METHODS)}"
    raise ValueError(f"no method {name!r}; {hint}")
