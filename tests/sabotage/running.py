"""Break a copy of the source, one breakage at a time, and see which the tests do not notice.

``make sabotage`` tries them all; ``python -m tests.sabotage.running relation/`` those with this in
their name; with ``--log FILE`` each verdict is added to a file at once, and what is caught there
already is not tried again. Exit status 1 if one survives; those whose tests are all skipped here
(no browser, say) are listed. A verdict names the test that failed,
which is then run by itself: it must fail again on the broken source and pass on the sound one, or
its failure is not of the breakage. Every run has a process of its own, forked from one that has
loaded NumPy, SciPy, scikit-learn and numba already, which is most of the time otherwise.
"""

import argparse
import compileall
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.sabotage.breakages import BREAKAGES, Breakage

ROOT = Path(__file__).parents[2]
SECONDS = 600  # of work for the tests of one breakage: what then still runs, hangs
PASSED, FAILED, NOTHING = 0, 1, 5  # how pytest ends; the last here also if all were skipped
SHARED = ("pytest", "numpy.testing", "scipy.sparse.linalg", "scipy.spatial", "scipy.stats")
SHARED += ("scipy.interpolate", "sklearn.manifold", "sklearn.utils.estimator_checks", "numba")
SHARED += ("pandas", "threadpoolctl", "numba.core.caching", "hypothesis")
OPTIONS = ("-x", "-q", "--no-header", "--tb=short", "-p", "no:cacheprovider")
QUICK = ("-m", "not slow")  # of whole files; a test that is named is wanted, slow or not


@dataclass(frozen=True)
class Verdict:
    """What became of a breakage."""

    breakage: Breakage
    # "caught", "SURVIVED", "not run" if all its tests are skipped here, "hung", "UNCLEAR", or
    # "error" if it cannot be made or its tests cannot be run
    state: str
    seconds: float
    told: str = ""  # the test that caught it, or what pytest printed

    def __str__(self):
        return f"{self.state:<9} {self.seconds:5.1f} s  {self.breakage.name}\n{self.because}"

    @property
    def because(self):
        """Why it is so: the test that failed, or the end of what was printed."""
        if self.state in ("caught", "SURVIVED", "not run"):
            last = self.told.strip().rpartition("\n")[2]
            return f"{'':<19}by {last}" if self.state == "caught" else f"{'':<19}{last}"
        return self.told[-2000:]


class Outcomes:
    """What pytest is given to write down the first test that fails, and one that passes."""

    def __init__(self, failed, passed):
        self.failed, self.passed = failed, passed

    def pytest_runtest_logreport(self, report):
        """Hear what became of a test."""
        if report.failed and not self.failed.exists():
            self.failed.write_text(report.nodeid, "utf-8")
        if report.passed and report.when == "call":
            self.passed.write_text(report.nodeid, "utf-8")


class Copy:
    """A copy of the package in a folder of its own, and tests that import it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.package = self.folder / "src" / "unspool"
        unread = shutil.ignore_patterns("*.pyc")  # what numba has compiled goes along
        shutil.copytree(ROOT / "src" / "unspool", self.package, ignore=unread)
        compileall.compile_dir(self.package, quiet=1)

    @contextmanager
    def broken(self, breakage):
        """Break the copy while the block lasts."""
        file = self.package / breakage.file
        sound, dated = file.read_text("utf-8"), file.stat()
        file.write_text(broken_text(sound, breakage), "utf-8")
        try:
            yield
        finally:
            file.write_text(sound, "utf-8")
            os.utime(file, ns=(dated.st_atime_ns, dated.st_mtime_ns))  # as it was compiled

    def run(self, tests, compiled="", seconds=SECONDS):
        """Run tests on the copy; return how pytest ended (None if it hung), and what it tells.

        That is the first test that failed, or what was printed if none did.

        Compiled code lies beside its file, and is known by the date of that, not of those that it
        calls: a broken kernel needs a folder of its own for ``compiled`` code.
        """
        printed, failed, passed = (self.folder / word for word in ("printed", "failed", "passed"))
        failed.unlink(missing_ok=True)
        passed.unlink(missing_ok=True)
        for module in SHARED:
            importlib.import_module(module)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            named = [f"tests/{test}" for test in tests]
            quick = () if all("::" in test for test in tests) else QUICK
            self._run_and_exit([*quick, *named], printed, Outcomes(failed, passed), compiled)
        ended = _wait(child, seconds)
        if ended == FAILED and failed.exists():
            return ended, failed.read_text("utf-8").removeprefix("tests/")
        if ended == PASSED and not passed.exists():
            ended = NOTHING
        return ended, printed.read_text("utf-8", "replace")

    def _run_and_exit(self, arguments, printed, outcomes, compiled):
        """Run tests, in the child."""
        import numba
        import pytest

        ended = 70
        try:
            with printed.open("w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            os.chdir(ROOT)
            sys.dont_write_bytecode = True
            sys.path[:0] = [str(self.package.parent), str(ROOT)]
            os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])  # for those that tests start
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # 2 s for plugins that nothing uses
            os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = compiled
            ended = int(pytest.main([*OPTIONS, *arguments], plugins=[outcomes]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended)


def _wait(child, seconds):
    """Return the exit status of a process; None if it took too long and was ended."""
    last = _worked(child) + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if _worked(child) > last:
            break
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _worked(child):
    """Return the seconds that a process has worked, and a tenth of those on the clock.

    On a busy machine it may have to wait; and one that waits for ever does not work.
    """
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # no such files here
        return time.monotonic()
    worked = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own, and its children's
    return worked + time.monotonic() / 10.0


def broken_text(text, breakage):
    """Return a file's text with the breakage made; ValueError unless its place is found once."""
    found = text.count(breakage.old)
    if found != 1:
        raise ValueError(f"{breakage.name}: {breakage.old!r} stands {found} times in its file")
    return text.replace(breakage.old, breakage.new)


def attack(copy, breakage):
    """Return whether the tests named for a breakage notice it."""
    began = time.perf_counter()
    try:
        state, told = _noticed(copy, breakage)
    except ValueError as error:  # its place is gone: the others are tried all the same
        state, told = "error", str(error)
    return Verdict(breakage, state, time.perf_counter() - began, told)


def _noticed(copy, breakage):
    with tempfile.TemporaryDirectory(dir=copy.folder) as own, copy.broken(breakage):
        compiled = own if breakage.file.endswith("_kernels.py") else ""
        ended, told = copy.run(breakage.caught_by, compiled)
        if ended != FAILED:
            words = {PASSED: "SURVIVED", NOTHING: "not run", None: "hung"}
            return words.get(ended, "error"), told
        if copy.run([told], compiled)[0] == PASSED:
            return "UNCLEAR", f"it fails now and then: {told}"
    if copy.run([told])[0] != PASSED:
        return "UNCLEAR", f"it fails though nothing is broken: {told}"
    return "caught", told


def caught_before(log):
    """Return the names of the breakages that a log says were caught."""
    if log is None or not log.exists():
        return set()
    found = re.finditer(r"^caught +[\d.]+ s  (.+)$", log.read_text("utf-8"), re.MULTILINE)
    return {line.group(1) for line in found}


def tell(verdict, log):
    """Print a verdict, and add it to the log."""
    print(verdict, flush=True)
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{verdict}\n")


def main(arguments):
    """Attack the breakages whose names hold one of the words, or all; list the survivors."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="those with one of these in their name")
    parser.add_argument("--log", type=Path, help="add verdicts here; skip what it says is caught")
    asked = parser.parse_args(arguments)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"  # nothing that a child could wait for in vain
    done = caught_before(asked.log)
    named = [one for one in BREAKAGES if any(word in one.name for word in asked.words or [""])]
    chosen = [one for one in named if one.name not in done]
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
        copy = Copy(folder)
        for breakage in chosen:
            verdicts.append(attack(copy, breakage))
            tell(verdicts[-1], asked.log)
    left = [verdict for verdict in verdicts if verdict.state != "caught"]
    print(f"\n{len(named) - len(left)} of {len(named)} breakages were caught")
    for verdict in left:
        print(f"  {verdict.state}: {verdict.breakage.name}")
    return int(any(verdict.state != "not run" for verdict in left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
