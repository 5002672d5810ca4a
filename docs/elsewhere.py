"""Find what pages of a built site would load from elsewhere: ``python docs/elsewhere.py FOLDER``.

Links to read on may lead anywhere. What a browser fetches by itself may not: scripts and what they
import or ask for, styles and what they import, fonts, images of every density, films, frames.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ADDRESSES = ("src", "data", "poster", "background", "manifest")  # of any element that has them
SHOWN = ("image", "use", "feimage")  # elements of a drawing whose href is fetched
READ = {"canonical", "author", "license", "next", "prev", "search", "index", "alternate", "help"}
STYLE = re.compile(r"""(?:(?:@import\s+)?url\(\s*|@import\s+)["']?([^"')\s;]+)""")
# what a script loads, where it names the address itself
SCRIPT = re.compile(
    r"""(?:\bfrom|\bimport|\bimport\s*\(|\bfetch\s*\(|\bimportScripts\s*\(|\bsendBeacon\s*\(
        |\bnew\s+(?:Shared)?Worker\s*\(|\bnew\s+(?:WebSocket|EventSource|Request|URL|Image)\s*\(
        |\.open\s*\(\s*["'`][A-Z]+["'`]\s*,|\.src\s*=|\.href\s*=(?!=)|\bsetAttribute\s*\(\s*["']src["']\s*,)
        \s*["'`]([^"'`]+)["'`]""",
    re.VERBOSE,
)
ELSEWHERE = re.compile(r"\s*(?:(?:https?|wss?|ftp):)?//", re.IGNORECASE)


class Loaded(HTMLParser):
    """What a page makes the browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self._inside = ""  # a script or a style, whose text is no markup

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the addresses of an element, and those in its style."""
        given = {name: value or "" for name, value in attrs}
        self._inside = tag if tag in ("script", "style") else ""
        self.addresses += [given[name] for name in ADDRESSES if name in given]
        for name in ("srcset", "imagesrcset"):
            listed = [part.split() for part in given.get(name, "").split(",")]
            self.addresses += [words[0] for words in listed if words]
        is_read = bool({*given.get("rel", "").lower().split()} & READ)
        if (tag == "link" and not is_read) or tag == "base" or tag in SHOWN:
            self.addresses += [given[name] for name in ("href", "xlink:href") if name in given]
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.addresses.append(given.get("content", "").partition("=")[2].strip("'\""))
        self.addresses += STYLE.findall(given.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or a style."""
        self._inside = ""

    def handle_data(self, data: str) -> None:
        """Take what a script or a style between the elements loads."""
        if self._inside:
            self.addresses += (SCRIPT if self._inside == "script" else STYLE).findall(data)


def addresses_elsewhere(text: str, ending: str = ".html") -> list[str]:
    """Return the addresses elsewhere that a page, a style or a script loads."""
    if ending == ".html":
        parser = Loaded()
        parser.feed(text)
        found = parser.addresses
    else:
        found = (STYLE if ending in (".css", ".svg") else SCRIPT).findall(text)
    return [one for one in found if ELSEWHERE.match(one)]


def loaded_elsewhere(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file of a site that loads something from elsewhere, with what it loads."""
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css", ".js", ".mjs", ".svg"):
            for address in addresses_elsewhere(path.read_text("utf-8"), path.suffix):
                yield path.relative_to(site), address


def main(words: list[str]) -> int:
    """Tell what a site loads from elsewhere; 1 if it does, or if there is no site."""
    site = Path(words[0])
    pages = len(list(site.rglob("*.html")))
    found = list(loaded_elsewhere(site))
    for path, address in found:
        print(f"{path} loads {address}")
    if not pages:
        print(f"no pages in {site}")
    elif not found:
        print(f"{pages} pages load nothing from elsewhere")
    return 0 if pages and not found else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
