"""What a run tells: lines for the screen, and a count at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .registry import TEXTS, Item
from .runner import Result

MARKS = {"agrees": "agrees", "fails": "FAILS", "skipped": "skipped"}


def told(result: Result, *, checks: bool = True) -> str:
    """Return a result in lines: the item, and each check unless only the item is wanted."""
    one = result.item
    lines = [f"{one.id:<32} {MARKS[result.status]:<8} {result.seconds:6.1f} s  {one.title}"]
    if result.reason:
        lines.append(f"    {result.reason}")
    for check in result.outcome.checks if result.outcome else ():
        if checks or not check.holds:
            lines.append(f"    {'' if check.holds else '! '}{check}")
    return "\n".join(lines)


def summary(results: Sequence[Result]) -> str:
    """Return one sentence: how many items agree, fail and were skipped, and how many errata."""
    counts = {status: sum(r.status == status for r in results) for status in MARKS}
    checks = sum(len(r.outcome.checks) for r in results if r.outcome)
    errata = sum(r.n_errata for r in results)
    seconds = sum(r.seconds for r in results)
    return (
        f"{len(results)} items, {checks} checks in {seconds:.0f} s: {counts['agrees']} items agree "
        f"({errata} checks where the text is wrong), {counts['fails']} fail, "
        f"{counts['skipped']} skipped"
    )


def listed(wanted: Iterable[Item]) -> str:
    """Return the table of items, text by text."""
    lines: list[str] = []
    titles = {text.name: text.title for text in TEXTS}
    last = ""
    for one in wanted:
        if one.text != last:
            lines += ["", f"{one.text}  {titles[one.text]}"]
            last = one.text
        needs = f"  [{', '.join(one.needs)}]" if one.needs else ""
        lines.append(f"  {one.id:<32} {one.title}{needs}")
    return "\n".join(lines).lstrip("\n")
