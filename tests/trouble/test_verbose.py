"""verbose=True: plain lines where the output is no terminal, nothing at all by default."""

import re
import subprocess
import sys

import pytest

from tests.cases import CASES, bent

X = bent(120)
TIME = r"(in )?[\d.]+ (ms|s|min)( left| so far)?"
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_method
def test_silent_by_default(case, capfd):
    case.make().fit(X).transform(X)
    out, err = capfd.readouterr()
    assert out == ""
    assert err == ""


@every_method
def test_plain_lines_on_stderr(case, capfd):
    model = case.make(verbose=True).fit(X)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines
    pattern = re.compile(rf"{case.cls.__name__}: [\w -]+ \d+/\d+(, {TIME})?")
    assert all(pattern.fullmatch(line) for line in lines), err
    assert "\x1b" not in err  # no colours, no cursor movements
    # every stage that the report knows is shown when it is done
    for stage in model.report_.stages:
        assert any(line.startswith(f"{case.cls.__name__}: {stage.name} ") for line in lines)


def test_each_stage_is_shown_done(capfd):
    CASES["Isomap"].make(verbose=True).fit(X)
    _, err = capfd.readouterr()
    for line in ("Isomap: neighbours 1/1", "Isomap: geodesics 120/120", "Isomap: spectrum 1/1"):
        assert f"\n{line}, in " in f"\n{err}"


def test_verbose_maps_alike(capfd):
    from tests.compare import relative

    for case in CASES.values():
        loud, quiet = case.make(verbose=True).fit(X), case.make().fit(X)
        assert relative(loud.embedding_, quiet.embedding_) == 0.0
    capfd.readouterr()


IN_A_TERMINAL = """
import os, pty, sys
pid, descriptor = pty.fork()
if pid == 0:
    {work}
    os._exit(0)
text = b""
try:
    while chunk := os.read(descriptor, 4096):
        text += chunk
except OSError:
    pass
_, status = os.waitpid(pid, 0)
sys.stdout.write(text.decode())
sys.exit(os.waitstatus_to_exitcode(status))
"""


FIT = """from tests.cases import CASES, bent
    CASES["Isomap"].make(verbose=True).fit(bent(120))"""
SWEEP = """import time
    from unspool import runtime
    with runtime.show_progress("Work", transient={transient}):
        with runtime.stage("sweep", total=2) as running:
            running.advance()
            time.sleep(0.3)
    print("done", file=sys.stderr)"""

in_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")


def shown(work):
    """Return what the work leaves on a terminal, with rich."""
    pytest.importorskip("rich")
    command = [sys.executable, "-c", IN_A_TERMINAL.replace("{work}", work)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@in_a_terminal
def test_bars_in_a_terminal():
    """With rich and a terminal: one bar per stage, at 100 % in the end."""
    text = shown(FIT)
    bars = text.rpartition("\x1b[2K")[2].splitlines()  # as they are left: none is there twice
    for stage in ("neighbours", "geodesics", "spectrum"):
        own = [bar for bar in bars if f"Isomap: {stage}" in bar]
        assert len(own) == 1
        assert "100%" in own[0]
        assert re.search(r"in .*\d m?s", own[0])
    assert "\x1b[" in text


@in_a_terminal
@pytest.mark.parametrize("transient", [False, True])
def test_transient_bars_go_when_their_stage_is_done(transient):
    text = shown(SWEEP.replace("{transient}", str(transient)))
    assert "Work: sweep" in text
    assert ("100%" in text) is not transient  # removed before it is drawn again
    assert text.splitlines()[-1].endswith("done")
