"""``python -m unspool``, and the command ``unspool``."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    try:
        from .cli.main import app
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        print("unspool: the command line needs click; pip install 'unspool[app]'", file=sys.stderr)
        sys.exit(2)
    from .cli.interrupt import run

    run(lambda: app.main(prog_name="unspool"))


if __name__ == "__main__":
    main()
