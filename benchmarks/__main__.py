"""Command line of the benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace

from .cold import measure_cold
from .page import COLD, write_page
from .rows import Row
from .run import DataAbsent, measure, measure_together
from .table import ROWS


def _is_wanted(row: Row, options: argparse.Namespace) -> bool:
    group = row.real if options.real else not row.real if options.made else True
    return group and not (options.quick and row.slow)


def _asked(row: Row, options: argparse.Namespace) -> Row:
    """Return the row with as many runs, and those peers, as are asked for."""
    peers = row.peers
    if options.peer in peers:
        peers = {options.peer: peers[options.peer]}
    return replace(row, runs=options.runs or row.runs, peers=peers)


def main() -> None:
    """Run the named rows (default: all), print a table and a JSON line each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows; default all")
    parser.add_argument("--quick", action="store_true", help="leave out the rows of minutes")
    parser.add_argument("--real", action="store_true", help="only the rows on real tables")
    parser.add_argument("--made", action="store_true", help="only the rows on made data")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each side, instead of 1-3")
    parser.add_argument("--peer", metavar="NAME", help="this peer alone, where a row has it")
    parser.add_argument(
        "--together", action="store_true", help="the sides take turns in one process: no memory"
    )
    parser.add_argument("--list", action="store_true", help="list the rows")
    parser.add_argument("--save", action="store_true", help="keep the results and the docs page")
    parser.add_argument("--cold", action="store_true", help="only the first calls of all methods")
    options = parser.parse_args()
    unknown = set(options.names) - set(ROWS)
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}; --list shows them")
    names = options.names or [name for name, row in ROWS.items() if _is_wanted(row, options)]
    if options.list:
        print("\n".join(names))
        return
    if options.cold:
        _measure_cold(save=options.save)
        return
    records, failed = [], []
    for name in names:
        try:
            row = _asked(ROWS[name], options)
            take = measure_together if options.together else measure
            fresh = take(row, lambda line: print(line, file=sys.stderr, flush=True))
        except DataAbsent as absent:
            print(f"{name}: left out, {absent}", file=sys.stderr, flush=True)
            continue
        except RuntimeError as failure:  # the other rows are measured all the same
            print(failure, file=sys.stderr, flush=True)
            failed.append(name)
            continue
        for record in fresh:
            print(json.dumps(record), flush=True)
        if options.save:  # row by row: what was measured is not lost
            write_page(fresh)
        records += fresh
    print(_table(records))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _measure_cold(*, save: bool) -> None:
    from unspool.catalog import METHODS

    for method in METHODS:
        record = measure_cold(method)
        print(json.dumps(record), flush=True)
        if save:
            write_page([record], COLD)


def _table(records: list[dict]) -> str:  # type: ignore[type-arg]
    head = f"\n{'row':<26}{'n':>9}{'ours':>10}{'first':>9}{'peer':>10}{'ratio':>8}  quality (peer)"
    lines = [head]
    for r in records:
        peer = "-" if r["peer_s"] is None else f"{r['peer_s']:.2f}"
        ratio = "-" if r["ratio"] is None else f"{r['ratio']:.1f}x"
        lines.append(
            f"{r['name']:<26}{r['n']:>9}{r['ours_s']:>10.2f}{r['ours_first_s']:>9.2f}{peer:>10}"
            f"{ratio:>8}  {r['ours_quality']} ({r['peer_quality']})"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
