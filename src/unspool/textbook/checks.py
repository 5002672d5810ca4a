"""What running an item gives: checks that can fail, and a figure that is drawn when asked for.

A check puts what a text says beside what was computed. A number that the text prints must come out
to the digits that are printed; a sentence of the text ("the map unrolls") is measured against a
bound that is stated. Where the text is wrong the check names the erratum and what the text claims,
and then the corrected number must come out instead, and not the claimed one: neither a wrong result
nor an erratum that is none goes unnoticed. The errata, where the texts are wrong or disagree, are
`errata.toml` beside this file: prose, not code.

The measures that items share come last: how far two maps, a map and a truth, or labels agree.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, SupportsFloat, get_args

import numpy as np

from .. import distances, quality

Verdict = Literal["agrees", "differs"]
Kind = Literal["misprint", "mistake", "conflict"]


@dataclass(frozen=True, slots=True)
class Erratum:
    """One misprint, mistake or conflict: where it stands, what it says, what is right.

    ``shown_by`` is the item that computes it: one of its checks names the erratum.
    """

    id: str
    kind: Kind
    where: str
    said: str
    right: str
    shown_by: str


def _read_errata(file: Path) -> Mapping[str, Erratum]:
    table = tomllib.loads(file.read_text("utf-8"))
    found = {name: Erratum(name, **entry) for name, entry in table.items()}
    for one in found.values():
        if one.kind not in get_args(Kind):
            raise ValueError(f"erratum {one.id!r} is of no known kind: {one.kind!r}")
    return MappingProxyType(found)


ERRATA = _read_errata(Path(__file__).with_name("errata.toml"))


@dataclass(frozen=True, slots=True)
class Check:
    """A statement beside what was found; ``erratum`` names the known reason for the text to differ.

    ``said`` is a printed number ("printed 46.722"), a number that follows from the text, or the
    claim in short words with the bound that it is held to.

    ``holds`` says whether all is as it should be: the text is right and agrees, or it is known to
    be wrong and the corrected statement agrees.
    """

    what: str
    said: str
    found: str
    verdict: Verdict
    holds: bool
    erratum: str = ""

    def __str__(self) -> str:
        """Return one line: the statement, what was found, and the verdict with its reason."""
        return f"{self.what}: {self.said}; here {self.found}: {self.judgement}"

    @property
    def judgement(self) -> str:
        """The verdict in words."""
        if self.erratum and self.erratum in ERRATA:
            right = f"differs because {ERRATA[self.erratum].right} [{self.erratum}]"
            return right if self.holds else f"fails although {right}"
        return "agrees" if self.holds else "differs, and no erratum is named"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The checks of an item, and how to draw its figure, if it has one."""

    checks: tuple[Check, ...]
    draw: Callable[[], Any] | None = field(default=None, repr=False)

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)


def outcome(*checks: Check | Iterable[Check], draw: Callable[[], Any] | None = None) -> Outcome:
    """Collect checks, single ones or groups, into an outcome; an item must check something."""
    flat: list[Check] = []
    for part in checks:
        flat.extend([part] if isinstance(part, Check) else part)
    if not flat:
        raise ValueError("an outcome without a check proves nothing; measure a claim of the text")
    return Outcome(tuple(flat), draw)


def printed(
    what: str, number: str, value: SupportsFloat, *, erratum: str = "", right: str | None = None
) -> Check:
    """Check a number as the text prints it: the value must round to the digits that are shown.

    With ``erratum`` the text is known to be wrong, and the value must round to ``right`` instead.
    """
    value = float(value)
    found = _shown(value, number)
    agrees = _rounds_to(value, number)
    if not erratum:
        return Check(what, f"printed {number}", found, "agrees" if agrees else "differs", agrees)
    if right is None:
        raise ValueError(f"erratum {erratum!r} needs the right number beside the printed one")
    holds = _rounds_to(value, right) and not agrees and erratum in ERRATA
    verdict: Verdict = "agrees" if agrees else "differs"
    return Check(what, f"printed {number}", found, verdict, holds, erratum)


def follows(what: str, number: str, value: SupportsFloat) -> Check:
    """Check a number that no text prints but that follows from one, to the digits given."""
    agrees = _rounds_to(float(value), number)
    found = _shown(float(value), number)
    return Check(what, f"follows: {number}", found, "agrees" if agrees else "differs", agrees)


def printed_row(what: str, numbers: str, values: Any) -> list[Check]:
    """Check a row of printed numbers, separated by blanks, one by one."""
    shown, found = numbers.split(), np.asarray(values, dtype=float).ravel()
    if len(shown) != len(found):
        raise ValueError(f"{what}: {len(shown)} numbers are printed and {len(found)} were found")
    return [
        printed(f"{what}, entry {place}", number, float(value))
        for place, (number, value) in enumerate(zip(shown, found, strict=True), start=1)
    ]


def measured(
    what: str,
    claim: str,
    value: SupportsFloat,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    erratum: str = "",
    claimed: float | None = None,
) -> Check:
    """Check a sentence of the text by a number that must lie within stated bounds.

    With ``erratum`` the sentence is known to be wrong: ``claimed`` is what the number would be if
    it were right, and the bounds, which keep that out, say what it is instead.
    """
    if at_least is None and at_most is None:
        raise ValueError(f"{what}: a measured claim needs a bound that it could miss")
    low = -np.inf if at_least is None else at_least
    high = np.inf if at_most is None else at_most
    value = float(value)
    inside = low <= value <= high
    bounds = _bounds(at_least, at_most)
    if not erratum:
        verdict: Verdict = "agrees" if inside else "differs"
        return Check(what, f"{claim} (bound {bounds})", f"{value:.6g}", verdict, inside)
    if claimed is None or low <= claimed <= high:
        raise ValueError(f"{what}: erratum {erratum!r} needs a claimed number out of bounds")
    said = f"{claim}, that is {claimed:.6g} (bound {bounds})"
    verdict = "agrees" if np.isclose(value, claimed) else "differs"
    return Check(what, said, f"{value:.6g}", verdict, inside and erratum in ERRATA, erratum)


def mostly(
    what: str,
    claim: str,
    values: Sequence[float],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    share: float = 1.0,
) -> Check:
    """Check a sentence about random data over many draws, one value for each.

    At least ``share`` of the values must lie within the bounds. A bound and a share that hold for
    any draw are the claim; one draw that was looked at is not.
    """
    if at_least is None and at_most is None:
        raise ValueError(f"{what}: a claim over many draws needs a bound that it could miss")
    if not (0.5 < share <= 1.0 and len(values) >= 3):
        raise ValueError(f"{what}: a claim over draws needs three of them and more than half right")
    found = np.asarray(values, dtype=float)
    low = -np.inf if at_least is None else at_least
    high = np.inf if at_most is None else at_most
    inside = int(np.sum((low <= found) & (found <= high)))
    needed = int(np.ceil(share * len(found) - 1e-9))
    said = f"{claim} (bound {_bounds(at_least, at_most)} in {needed} of {len(found)} draws)"
    shown = f"{inside} of {len(found)}, median {np.median(found):.4g}"
    holds = inside >= needed
    return Check(what, said, shown, "agrees" if holds else "differs", holds)


def _bounds(at_least: float | None, at_most: float | None) -> str:
    pairs = ((">=", at_least), ("<=", at_most))
    return " and ".join(f"{sign} {bound:.6g}" for sign, bound in pairs if bound is not None)


def equal(
    what: str, claim: str, found: Any, expected: Any, *, erratum: str = "", claimed: Any = None
) -> Check:
    """Check that something that is not a measured number came out exactly as ``expected``.

    With ``erratum`` the text is known to be wrong: it has ``claimed`` instead.
    """
    same = bool(found == expected)
    if not erratum:
        return Check(what, claim, str(found), "agrees" if same else "differs", same)
    if claimed is None or claimed == expected:
        raise ValueError(f"{what}: erratum {erratum!r} needs what is claimed instead of {expected}")
    verdict: Verdict = "agrees" if found == claimed else "differs"
    return Check(what, claim, str(found), verdict, same and erratum in ERRATA, erratum)


def rising(what: str, claim: str, values: Sequence[float]) -> Check:
    """Check that every value is larger than the one before it."""
    steps = np.diff(np.asarray(values, dtype=float))
    shown = " < ".join(f"{value:.4g}" for value in values)
    holds = bool((steps > 0).all())
    return Check(what, claim, shown, "agrees" if holds else "differs", holds)


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _rounds_to(value: float, number: str) -> bool:
    """Tell whether the value rounds to the printed digits; a tie may be rounded either way."""
    half = 0.5 * 10.0 ** -_decimals(number)
    gap = abs(value - float(number.replace(",", "")))
    return bool(gap <= half * (1 + 1e-9))


def _shown(value: float, number: str) -> str:
    return f"{value:.{_decimals(number) + 2}f}"


def off_by_signs(found: Any, expected: Any) -> float:
    """Return the largest difference of two maps, once every axis is turned to where it fits."""
    signs = np.sign((found * expected).sum(axis=0))
    return float(np.abs(found * signs - expected).max() / np.abs(expected).max())


def gap(found: Any, expected: Any) -> float:
    """Return the largest difference of two tables, as a share of the largest expected entry."""
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def absolute_gap(found: Any, expected: Any) -> float:
    """Return the largest difference of two tables."""
    return float(np.abs(np.asarray(found) - expected).max())


def unit(columns: Any) -> Any:
    """Return the columns, each scaled to length one."""
    return columns / np.linalg.norm(columns, axis=0)


def worst_fit(places: Any, truth: Any) -> float:
    """Return R^2 of the true coordinate that an affine function of the map explains least."""
    return float(quality.explained_by(places, truth).min())


def share_of_own(places: Any, labels: Any, label: Any = None, count: int = 5) -> float:
    """Return how many of the nearest on a map have a point's own label, for one label or all."""
    near = distances.neighbor_graph(places, count)
    same = labels[near.rows] == labels[near.neighbors]
    return float(np.mean(same if label is None else same[labels[near.rows] == label]))
