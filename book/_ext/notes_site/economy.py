"""Speed up builds: do only what has changed, not all that Sphinx and its extensions repeat.

With nothing changed a build took two minutes and 1.7 GB; now it takes seconds. And what Sphinx does
not see to have changed, this extension and the sentences of an edition, is a setting here.
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.build_phase import BuildPhase

from .editions import LOCALE
from .folders import checksum, files_in
from .runs import now

HERE = Path(__file__).parent


def settle(_app: Sphinx, config: Config) -> None:
    """Set the checksum of what makes the pages; if it has changed, Sphinx writes all of them."""
    words = (LOCALE / config.language).glob("LC_MESSAGES/*.po")
    config.made_by = checksum(
        "".join(now(file, True) for file in [*files_in(HERE), *sorted(words)])
    )


def outdated(
    _app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return pages that embed parts of child pages (cards or names) that changed."""
    other = added | changed | removed
    showing = [page for page, said in env.metadata.items() if "shows_below" in said]
    return [page for page in showing if other & set(env.toctree_includes.get(page, ()))]


def own(_app: Sphinx, document: nodes.document) -> None:
    """Assign all nodes of a page to its own document.

    A nested parse, as of a docstring, leaves nodes of another document, which holds all that Sphinx
    knows of the book; so the pickled page would be thousands of times as large.
    """
    for node in document.findall():
        node._document = document


def lay_out(app: Sphinx, exception: Exception | None) -> None:
    """Copy stylesheets and scripts even if no page is written, as they may have changed alone."""
    written = app.phase is not BuildPhase.READING
    if not exception and not written and isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.prepare_writing(set())  # sets the context for the theme's files
        app.builder.copy_static_files()


def setup(app: Sphinx) -> None:
    """Connect these functions to the build."""
    app.add_config_value("made_by", "", "html")
    app.connect("config-inited", settle, priority=900)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", own, priority=1000)  # after all others have made their nodes
    app.connect("build-finished", lay_out, priority=100)  # before trim.py joins them
