"""Follow the tutorial in this folder, block by block as a reader would; ``make dist`` does, too."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path


def in_a_shell(block):
    """Run commands as a reader does."""
    beside = Path(sys.executable).parent  # where `unspool` is
    env = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
    run = {"shell": True, "capture_output": True, "text": True, "check": False, "env": env}
    done = subprocess.run(block, **run)
    assert done.returncode == 0, f"{block}\n{done.stderr}"


def follow(text, command=in_a_shell):
    """Run the commands and the blocks of Python, and compare what these print with the page."""
    names = {"__name__": "tutorial"}
    for language, block in re.findall(
        r"^```(python|sh)\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    ):
        if language == "sh":
            command(block)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "tutorial.md", "exec"), names)
        assert printed.getvalue().splitlines() == re.findall(r"^# > (.*)$", block, re.MULTILINE)
    check_files(Path.cwd())


def check_files(folder):
    """Check that the report, the map, its picture and the new rows on it are there."""
    assert "Isomap" in (folder / "report.html").read_text("utf-8")
    placed, mapped = (
        (folder / name).read_text().splitlines() for name in ("placed.csv", "map.csv")
    )
    assert len(placed) == len(mapped) == 179
    assert (folder / "map.png").stat().st_size > 5_000


if __name__ == "__main__":
    follow(Path(sys.argv[1]).read_text("utf-8"))
