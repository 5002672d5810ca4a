"""The command line: a table of commands, and how every one of them ends.

Modules load when their command is called, so that help comes at once. What goes wrong with the
input ends in one line on stderr and exit status 2; a key press of Ctrl-C in 130.

Ctrl-C ends the work within two seconds, wherever it is. Python hears a signal only between two of
its own steps, and a compiled loop or a matrix routine may take minutes. So the work runs in a child
process, and the parent does nothing but wait: at the first Ctrl-C the child has a moment to end by
itself, then it is ended, and the files that it was writing are removed. Where processes cannot be
forked (Windows) the work runs in the process itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from ..io import atomic

GRACE = 1.2  # seconds for the child to put its things in order
SETTLING = 0.05  # seconds after which a process that was killed does nothing more
INTERRUPTED = 130
SHOW_CURSOR = "\x1b[?25h"


def run(work: Callable[[], NoReturn]) -> NoReturn:
    """Run ``work``, which ends by SystemExit, so that it can be interrupted at any time."""
    if not hasattr(os, "fork"):
        work()
    atomic.share_unfinished()
    lifeline, held = os.pipe()
    # a signal that comes before both processes know what to do with it waits until they do
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    child = os.fork()
    if child == 0:
        os.close(held)
        threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
        signal.signal(signal.SIGINT, _stop_once)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        work()
    os.close(lifeline)
    raise SystemExit(_wait_for(child, heard))


def _end_with_parent(lifeline: int) -> None:
    """End this process when the parent has gone: only then does reading return."""
    os.read(lifeline, 1)
    atomic.remove_unfinished()
    os._exit(INTERRUPTED)


def _stop_once(number: int, frame: Any) -> NoReturn:
    """Stop at the first Ctrl-C; the terminal and the parent may both send one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _wait_for(child: int, heard: set[int | signal.Signals]) -> int:
    """Wait for the child and return its exit status, 130 after Ctrl-C.

    ``heard`` are the signals that are blocked once it is said what they do.
    """
    asked = signal.SIGINT

    def stop(number: int, frame: Any) -> NoReturn:
        nonlocal asked
        asked = signal.Signals(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        _stop(child)
        return 128 + asked
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # killed by somebody else, or for want of memory
        atomic.remove_unfinished()
        name = signal.Signals(-code).name
        hint = "; the system does that when memory runs out" if name == "SIGKILL" else ""
        sys.stderr.write(f"unspool: the work was ended by {name}{hint}\n")
    return code if code >= 0 else 128 - code


def _stop(child: int) -> None:
    """Ask the child to stop, and end it if it has not after a moment."""
    os.kill(child, signal.SIGINT)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)  # not waited for: to give back gigabytes may take seconds
    time.sleep(SETTLING)
    atomic.remove_unfinished()
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)  # which bars of progress hide
        sys.stderr.flush()


class Listed(NamedTuple):
    """A command in the table: the module that has it as ``NAME_command``, and its line of help."""

    module: str
    help: str


COMMANDS = {
    "embed": Listed("embed", "Map a table, an array or a folder of images to few coordinates."),
    "transform": Listed("embed", "Place new rows on the map of a saved model."),
    "compare": Listed("evaluate", "Run several methods side by side and write a report."),
    "explore": Listed("evaluate", "See maps in the browser, and ask where they lie."),
    "dimension": Listed("evaluate", "Estimate how many coordinates the data need."),
    "diagnose": Listed("evaluate", "Tell how far a map can be trusted, and what to change."),
    "plan": Listed("methods", "Predict the memory and time of a method on this machine."),
    "methods": Listed("methods", "List the methods, or the parameters of one."),
    "textbook": Listed("textbook", "Run tables, figures and exercises of the texts."),
    "demo": Listed("evaluate", "Compare the methods on a Swiss roll: a first report in a minute."),
}
BAD_INPUT = 2
# raised from click 8.2 on by a group without a command; before, click showed the help by itself
NO_COMMAND = getattr(click.exceptions, "NoArgsIsHelpError", ())


class App(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command."""
        if cmd_name not in COMMANDS:
            near = get_close_matches(cmd_name, COMMANDS)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {cmd_name!r}; {hint}")
        module = import_module(f"unspool.cli.{COMMANDS[cmd_name].module}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.help) for name, listed in COMMANDS.items()])

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command and end the process as described above."""
        options["standalone_mode"] = False
        options["obj"] = list(options.get("args") or (args[0] if args else None) or sys.argv[1:])
        try:
            with _notes_on_stderr():
                status = super().main(*args, **options)
        except (click.Abort, KeyboardInterrupt):
            click.echo("unspool: interrupted", err=True)
            sys.exit(INTERRUPTED)
        except click.exceptions.Exit as asked:
            sys.exit(asked.exit_code)
        except click.ClickException as error:
            if not isinstance(error, NO_COMMAND):
                _fail(error.format_message())
            click.echo(error.format_message())
            sys.exit(0)
        except (ValueError, OSError, MemoryError, ImportError) as error:
            _fail(_describe_error(error))
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> NoReturn:
    click.echo("unspool: " + " ".join(message.split()), err=True)
    sys.exit(BAD_INPUT)


def _describe_error(error: BaseException) -> str:
    """Return an error in words; those of the system carry a number and quotes that say little."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror.lower()}"
    return str(error) or type(error).__name__


@contextmanager
def _notes_on_stderr() -> Iterator[None]:
    """Show warnings as one line each, without the place in the source; with ``-q`` none."""

    def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
        running = click.get_current_context(silent=True)
        if running is not None and running.params.get("quiet"):
            return
        click.echo(f"unspool: note: {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=UserWarning)
        for quiet in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            warnings.filterwarnings("ignore", category=quiet)
        warnings.showwarning = show
        yield


@click.group(cls=App, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="unspool", message="unspool %(version)s")
def app() -> None:
    """Unroll data: low-dimensional maps of points on a curved manifold.

    DATA is a csv, tsv, parquet, feather, npy, npz or h5ad file, a folder of images, or demo:NAME.

    \b
    unspool embed table.csv --method isomap --n-neighbors 12 -o map.csv
    unspool compare table.csv -o report.html
    """
