"""Building a page by itself, with some of the extensions."""

import io
import os
import re
from unittest.mock import patch

import nbformat
from bs4 import BeautifulSoup
from notes_site import ROOMS
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

FORMULAS = {
    "html_math_renderer": "katex",
    "myst_update_mathjax": False,
    "numfig": True,
    "math_numfig": True,
    "myst_enable_extensions": ["colon_fence", "dollarmath"],
}


def builder_of(tmp_path, node_modules):
    """A function that builds one page with some extensions, into its HTML and the warnings."""

    def build_page(text, *extensions, name="index.md", builder="html", fresh=True, **config):
        if text is not None:  # else the page is the one that is there
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        extensions = [f"notes_site.{one}" if one in ROOMS else one for one in extensions]
        warnings = io.StringIO()
        parser = [] if "myst_nb" in extensions else ["myst_parser"]
        if "notes_site.formulas" in extensions:
            config = {**FORMULAS, **config}
        if any(one.startswith("notes_site") for one in extensions):
            extensions.append("notes_site.npm")
            config = {"npm_folder": str(node_modules.parent), **config}
        # An extension points the kernels elsewhere; the next test's need not go there.
        with docutils_namespace(), patch.dict(os.environ):
            app = Sphinx(
                tmp_path,
                None,
                tmp_path / "_build" / builder,
                tmp_path / "_build" / "doctrees",
                builder,
                confoverrides={
                    "extensions": [*parser, *extensions],
                    "exclude_patterns": ["_build"],
                    "html_theme": "basic",
                    "source_suffix": {".rst": "restructuredtext"},  # a fresh one for each app
                    "myst_enable_extensions": ["colon_fence"],
                    **config,
                },
                status=io.StringIO(),
                warning=warnings,
            )
            app.build(force_all=fresh)
        suffix = ".html" if builder == "html" else ".txt"
        root = tmp_path / "_build" / builder / config.get("root_doc", "index")
        page = root.with_suffix(suffix).read_text("utf-8")
        return page, re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())

    return build_page


def soup_of(page):
    return BeautifulSoup(page, "html.parser")


def notebook(*cells, title="# Title", **metadata):
    """A notebook of code below a title, as text."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(title)])
    nb.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    kernel = {"name": "python3", "display_name": "Python 3"}
    nb.metadata |= {"kernelspec": kernel, **metadata}
    return nbformat.writes(nb)
