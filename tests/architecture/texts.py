"""Guards over the text files of the repository."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from . import rules


def files_name_no_machine(root: Path) -> Iterator[str]:
    for file in _files(root):
        for number, line in enumerate(_lines(file), start=1):
            if found := re.search(rules.PRIVATE_TEXT, line):
                place = file.relative_to(root).as_posix()
                yield f"{place}:{number}: {found[0]}... is true on one machine only"


def texts_are_cited_by_author(root: Path) -> Iterator[str]:
    for file in _files(root):
        place = file.relative_to(root)
        if place.parts[0] not in ("src", "docs") or file.suffix not in rules.CITING:
            continue
        for number, line in enumerate(_lines(file), start=1):
            if found := re.search(rules.SHELF_MARKS, line):
                cited = "cite author, year and place (docs/texts.md)"
                yield f"{place.as_posix()}:{number}: {found[0]} is our name for it: {cited}"


def _files(root: Path) -> list[Path]:
    """What git tracks or would track; everything, where there is no repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return [file for file in sorted(root.rglob("*")) if _is_ours(file.relative_to(root))]
    return [root / name for name in run.stdout.split("\0") if name]


def _is_ours(file: Path) -> bool:
    return not any(part in {".git", ".hypothesis", ".venv", "__pycache__"} for part in file.parts)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except (UnicodeDecodeError, IsADirectoryError, FileNotFoundError):
        return []  # an image, a submodule, or a file deleted and not yet committed
