"""Speed up builds: do only what has changed, not all that Sphinx and its extensions repeat.

With nothing changed a build took two minutes and 1.7 GB; now it takes seconds. And what Sphinx does
not see to have changed, this extension and the sentences of an edition, is a setting here.
"""

from pathlib import Path

from docutils import nodes
from notes_sheets import LOCALE
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.build_phase import BuildPhase

from .folders import checksum, files_in
from .runs import now
from .terms import ENGLISH

HERE = Path(__file__).parent
#: A mark that the pages are being written; it stays if the build is ended in the midst.
MARK = ".unfinished"
#: Sphinx's note of a build with other settings.
OTHER = "# Sphinx build info version 1\n#\nconfig: unfinished\ntags: unfinished\n"


def settle(_app: Sphinx, config: Config) -> None:
    """Set the checksum of what makes the pages; if it has changed, Sphinx writes all of them."""
    edition = LOCALE / config.language
    words = sorted([ENGLISH, *edition.glob("*.csv"), *edition.glob("LC_MESSAGES/*.po")])
    config.made_by = checksum("".join(now(file, True) for file in [*files_in(HERE), *words]))


def resume(app: Sphinx) -> None:
    """Have all pages written if the last build was ended while it wrote them."""
    if Path(app.outdir, MARK).exists():
        Path(app.outdir, ".buildinfo").write_text(OTHER, "utf-8")


def begin(app: Sphinx, _env: BuildEnvironment) -> list[str]:
    """Mark the pages as unfinished."""
    Path(app.outdir, MARK).touch()
    return []  # no more pages to write


def complete(app: Sphinx, exception: Exception | None) -> None:
    """Remove the mark, once the pages are as they will stay."""
    if not exception:
        Path(app.outdir, MARK).unlink(missing_ok=True)


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
    app.connect("builder-inited", resume)
    app.connect("env-updated", begin)
    app.connect("build-finished", complete, priority=1000)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", own, priority=1000)  # after all others have made their nodes
    app.connect("build-finished", lay_out, priority=100)  # before trim.py joins them
