"""Print the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

OURS = {"dev", "docs", "bench"}  # extras that no user needs, and whose age is no promise
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def oldest(project):
    """Return one line ``name==version`` for each requirement that has a floor."""
    extras = project["optional-dependencies"].items()
    asked = [one for name, listed in extras if name not in OURS for one in listed]
    wanted = [*project["dependencies"], *asked]
    floors = (re.match(r"([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)", one) for one in wanted)
    return sorted({f"{found[1]}=={found[2]}" for found in floors if found})


if __name__ == "__main__":
    print("\n".join(oldest(tomllib.loads(PROJECT.read_text("utf-8"))["project"])))
