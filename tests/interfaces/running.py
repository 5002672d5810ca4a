"""Commands run as a user runs them, without a new process."""

import inspect
import re

import pandas as pd
from click.testing import CliRunner

from unspool.cli import app


def run(*args):
    # click 8.1 mixes the two streams unless told otherwise, 8.2 has no such option
    old = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if old else CliRunner()
    return runner.invoke(app, [str(arg) for arg in args])


def done(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result


def refused(*args, says):
    """The command ends with status 2 and one line, the last on stderr, that says why."""
    result = run(*args)
    assert result.exit_code == 2, (result.stderr, result.exception)
    assert result.stdout == ""
    last = result.stderr.splitlines()[-1]
    told = [line for line in result.stderr.splitlines() if line.startswith("unspool: ")]
    assert [line for line in told if not line.startswith("unspool: note: ")] == [last]
    assert re.search(says, last), last
    assert "Traceback" not in result.stderr


def read_exactly(path):
    """Return a table as pandas reads it, to the last digit: before 3.1 that had to be asked for."""
    is_old = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
    return pd.read_csv(path, **({"float_precision": "round_trip"} if is_old else {}))
