"""A fit of each standing method can be followed from file to file, and one that cannot is told."""

from pathlib import Path

from . import rules, tracing

ROOT = Path(__file__).parents[2]

METHODS = """
from types import SimpleNamespace
from . import one
datasets = SimpleNamespace(swiss_roll=lambda n: SimpleNamespace(points=n))
class Toy:
    def fit(self, points):
        one.step(RETURNS)
Isomap = LLE = MDS = LaplacianEigenmaps = Toy
"""
ONE = """
def step(times):
    from .two import back
    if times:
        back(times)
"""
TWO = """
def back(times):
    from .one import step
    step(times - 1)
"""


def test_fits_of_the_package():
    broken = list(tracing.fits_are_easy_to_follow(ROOT))
    assert not broken, "\n" + "\n".join(broken)


def test_a_fit_that_goes_to_and_fro_is_told(tmp_path):
    allowed = rules.FIT_RETURNS["LLE"]  # __init__ -> one -> two -> one -> ...: n calls of back, n
    assert told(tmp_path / "kept", (allowed + 1) // 2) == []
    assert told(tmp_path / "broken", (allowed + 1) // 2 + 1) == ["LLE"]


def test_a_fit_through_many_files_is_told(tmp_path):
    package = house(tmp_path, 0)
    calls = "".join(f"    from .f{n} import f\n    f()\n" for n in range(rules.FIT_FILES))
    (package / "one.py").write_text(f"def step(times):\n{calls}")
    for n in range(rules.FIT_FILES):
        (package / f"f{n}.py").write_text("def f(): ...\n")
    broken = list(tracing.fits_are_easy_to_follow(tmp_path))
    assert len(broken) == len(rules.FIT_RETURNS)
    assert all(f"{rules.FIT_FILES + 2} files" in sentence for sentence in broken)


def test_nothing_to_follow_yet(tmp_path):
    assert list(tracing.fits_are_easy_to_follow(tmp_path)) == []


def house(root, times):
    package = root / "src" / "unspool"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(METHODS.replace("RETURNS", str(times)))
    (package / "one.py").write_text(ONE)
    (package / "two.py").write_text(TWO)
    return package


def told(root, times):
    house(root, times)
    return [sentence.partition("(")[0] for sentence in tracing.fits_are_easy_to_follow(root)]
