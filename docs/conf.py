"""How the documentation site is built: ``make docs``.

Nothing is fetched, neither while it is built nor by its pages: formulas become MathML, which
browsers draw by themselves, and the theme brings its own files.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from latex2mathml.converter import convert

import unspool

sys.path.insert(0, str(Path(__file__).parent))
import build  # it and the next lie beside this file
import reference

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md"}  # pages of the root
SOURCE = "https://github.com/unspool/unspool/blob/main"

project = "unspool"
author = "The unspool developers"
copyright = author
version = release = unspool.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**/README.md", "examples/**", "gallery/*.ipynb", "gallery/*.zip"]
# pages that would load a script for their tables from elsewhere
exclude_patterns += ["sg_execution_times.rst", "**/sg_execution_times.rst"]
root_doc = "index"
nitpicky = False

myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath", "attrs_inline"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # types stand in the Parameters sections
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\w+\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 10_000,
    "thumbnail_size": (560, 320),
    "image_scrapers": ("gallery_figures.save",),
    "reset_modules": ("matplotlib",),
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "unspool"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["unspool.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": "unspool",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "install": [], "changelog": []}

templates_path = ["_templates"]
html_math_renderer = "mathml"
reference.write(Path(__file__).parent / "api.md")


def absolute_links(app, name, text):
    """Let links to files outside of the site lead to the repository."""
    here = Path(app.env.doc2path(name)).parent
    if name in ELSEWHERE:
        here = ROOT
        text[0] = (ROOT / ELSEWHERE[name]).read_text("utf-8")
    text[0] = text[0].replace("<!-- all methods -->", build.methods_table(""))

    def changed(match):
        target, anchor = match[1], match[2] or ""
        if re.match(r"[a-z]+:", target) or target.startswith(("#", "/")):
            return match[0]
        there = (here / target).resolve()
        if there == ROOT / "README.md":
            return f"](/methods/index.md{anchor if anchor != '#methods' else ''})"
        if there.name == "README.md" and there.parent == ROOT / "docs" / "decisions":
            return "](/decisions/index.md)"
        if there.is_relative_to(ROOT / "docs") and there.suffix != ".py":
            return f"](/{there.relative_to(ROOT / 'docs').as_posix()}{anchor})"
        if there.parent == ROOT and there.name in ELSEWHERE.values():
            return f"](/{there.stem.lower()}.md{anchor})"
        return f"]({SOURCE}/{there.relative_to(ROOT).as_posix()}{anchor})"

    text[0] = re.sub(r"\]\(([^)\s#]+)(#[^)\s]*)?\)", changed, text[0])


def plain_text(app, what, name, one, options, lines):
    """Keep |x| and a_ij of a docstring from being read as markup; examples stay as they are."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            words = re.split(r"(``.*?``)", line)
            words[::2] = [
                re.sub(r"(?<!\\)\||(?<=\w)_(?!\w)", r"\\\g<0>", word) for word in words[::2]
            ]
            lines[number] = "".join(words)


def _inline_formula(writer, node):
    from docutils.nodes import SkipNode

    writer.body.append(convert(node.astext()))
    raise SkipNode


def _formula(writer, node):
    from docutils.nodes import SkipNode

    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app):
    app.connect("source-read", absolute_links)
    app.connect("autodoc-process-docstring", plain_text, priority=400)  # before numpydoc
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_formula, None))
