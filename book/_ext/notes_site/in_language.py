"""Build an edition, which `editions` describes, and count what in it is still in English."""

import sys
from pathlib import Path

from jupyter_book.sphinx import build_sphinx

from .editions import ROOT, listed, short
from .words import left, texts


def build(language: str) -> int:
    """Build into `_build/zh/html`, which `_build/html/zh` leads to; return the status."""
    english = left(texts(listed(language), language), language)
    settings = {
        "still_english": sum(map(len, english.values())),
        "language": language,
        "locale_dirs": ["book/locale"],
        "gettext_compact": False,  # a file for each page
        # Sphinx translates each paragraph in isolation, without the rest of its page. The
        # English build has checked the same links.
        "suppress_warnings": ["myst.xref_missing"],
        "external_toc_path": str(ROOT / "_toc.yml"),
        "nitpicky": True,
        "latex_individualpages": False,
    }
    out = ROOT / "_build" / short(language) / "html"
    status = build_sphinx(
        ROOT,
        out,
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides=settings,
        warningiserror=True,
        keep_going=True,
    )
    beside = ROOT / "_build" / "html" / short(language)
    if not beside.is_symlink():
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.symlink_to(Path("..", short(language), "html"), target_is_directory=True)
    return int(status or 0) if not isinstance(status, Exception) else 1


if __name__ == "__main__":
    sys.exit(build(sys.argv[1]))
