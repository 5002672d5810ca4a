"""``python -m unspool``, and the command ``unspool``."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    try:
        from .cli import app, run
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        print("unspool: the command line needs click; pip install 'unspool[app]'", file=sys.stderr)
        sys.exit(2)
    run(lambda: app.main(prog_name="unspool"))


if __name__ == "__main__":
    main()
