"""A build updates what has changed, and nothing more."""

from sphinx.builders.html import StandaloneHTMLBuilder


def test_what_is_kept_of_a_page_does_not_hold_the_book(build, tmp_path):
    build(
        "# Title\n\n```{eval-rst}\n.. automodule:: perceptron_notes.rules\n   :members:\n```\n",
        *["sphinx.ext.autodoc", "economy"],
    )
    assert (tmp_path / "_build/doctrees/index.doctree").stat().st_size < 200_000


def test_a_stylesheet_that_changes_alone_arrives(build, tmp_path, monkeypatch):
    (tmp_path / "static").mkdir()
    site, found = tmp_path / "_build/html", []
    for text, size in (("# Title\n", "17px"), (None, "23px")):
        (tmp_path / "static/own.css").write_text(f"h1 {{ font-size: {size} }}")
        build(
            text,
            *["sphinx_book_theme", "trim", "economy"],
            fresh=False,
            html_theme="sphinx_book_theme",
            html_static_path=["static"],
            html_css_files=["own.css"],
        )
        # This theme without the book's settings would rewrite each page.
        monkeypatch.setattr(StandaloneHTMLBuilder, "get_outdated_docs", lambda self: [])
        found.append((site / "_static/site.css").read_text("utf-8"))
        found.append((site / "objects.inv").stat().st_mtime_ns)
    before, written, after, written_then = found
    assert written_then == written  # nothing else was
    assert "17px" in before
    assert before.replace("17px", "23px") == after
