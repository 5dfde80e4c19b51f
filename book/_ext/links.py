"""Links that need a public address exist exactly when there is one.

The address is `repository: url` in `_config.yml`, and nowhere else. While it is empty, the pages
show no link to a repository, to an issue or to the source of a page, rather than a broken one.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


def switch(_app: Sphinx, config: Config) -> None:
    """Show the theme's repository buttons if the repository has an address."""
    options = config.html_theme_options
    for button in ("use_repository_button", "use_issues_button", "use_edit_page_button"):
        options[button] = bool(options.get("repository_url"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", switch, priority=100)  # before the theme reads its options
    return {"parallel_read_safe": True, "parallel_write_safe": True}
