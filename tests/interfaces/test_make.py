"""Every interpreter has an environment of its own, and one that is not there is told of."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


def would_run(home, *words):
    """Return what make would do, in a home of its own."""
    given = ("MAKE", "PYTHON")  # what the make that runs these tests was given
    kept = {name: value for name, value in os.environ.items() if not name.startswith(given)}
    done = subprocess.run(
        ["make", "-n", "-C", ROOT, *words],
        env={**kept, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_interpreter_has_its_environment(tmp_path):
    program = tmp_path / ".pyenv" / "versions" / "3.99.1" / "bin" / "python3.99"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    told = would_run(tmp_path, "types", ".venv-python3.99/.dev", "PYTHON=python3.99")
    assert ".venv-python3.99/bin/mypy" in told
    assert f"{program} -m venv .venv-python3.99" in told
    told = would_run(tmp_path, ".venv-floor-python3.99/.made", "PYTHON=python3.99")
    assert f"{program} tests/floor.py >.venv-floor-python3.99/oldest.txt" in told
    assert "\n.venv/bin/mypy" in f"\n{would_run(tmp_path, 'types')}"


def test_an_interpreter_that_is_not_there_is_skipped_with_a_word(tmp_path):
    told = would_run(tmp_path, "test", "PYTHON=python3.99")
    assert "skipped: no python3.99 here" in told
    assert "venv" not in told


def test_all_environments_are_cleaned(tmp_path):
    assert "rm -rf .venv .venv-* " in would_run(tmp_path, "clean")
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {".venv/", ".venv-*/"} <= {*ignored}
