"""Install the built files in an empty environment, and map a table there: ``make dist`` runs it."""

import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

SCRIPT = """
import importlib.metadata, unspool
from unspool import Isomap, datasets, load, save
assert unspool.__version__ == importlib.metadata.version("unspool")
assert datasets.real("us_driving_miles_128")["d"].shape == (128, 128)
assert datasets.real("pendigits")["x_test"].shape == (3498, 16)
roll = datasets.swiss_roll(300)
model = Isomap(2).fit(roll.points)
save(model, "roll.unspool")
assert (load("roll.unspool").transform(roll.points) == model.transform(roll.points)).all()
"""
TUTORIAL = Path(__file__).resolve().parent / "tutorial.py"  # run by the environment's Python


def main(folder):
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    check_description(wheel)
    for built, extra in ((wheel, "[app]"), (sdist, "")):
        with tempfile.TemporaryDirectory() as empty:
            try_it(Path(empty), f"{built.resolve()}{extra}", has_command=bool(extra))
        print(f"{built.name}: installed in an empty environment, and used")


def check_description(wheel):
    """Raise SystemExit if the description has links that lead nowhere outside of the repository."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        text = files.read(name).decode("utf-8")
    relative = re.findall(r"\]\((?![a-z]+:|#)[^)]*\)", text)
    if relative:
        raise SystemExit(f"the description of the wheel has relative links: {relative[:3]}")


def try_it(empty, what, has_command):
    venv.create(empty / "env", with_pip=True)
    python = empty / "env" / "bin" / "python"
    run = {"cwd": empty, "check": True, "stdout": subprocess.DEVNULL}
    quiet = ["-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([python, *quiet, what], **run)
    subprocess.run([python, "-W", "error", "-c", SCRIPT], **run)
    if has_command:
        command = empty / "env" / "bin" / "unspool"
        table = ["demo:swiss-roll:300", "-q", "-o", "map.csv", "--plot", "map.png"]
        subprocess.run([command, "embed", *table], **run)
        assert len((empty / "map.csv").read_text().splitlines()) == 301
        subprocess.run([python, TUTORIAL, TUTORIAL.parents[1] / "docs" / "tutorial.md"], **run)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
