"""Show links that need a public address only if there is one; require page descriptions.

The setting is `repository: url` in `_config.yml`. While it is empty, the pages show no link to a
repository, to an issue, or to Binder, and name no address of their own, rather than a
broken one. The site's own address follows from it, as GitHub Pages gives it; a site that stands
elsewhere says so in `html: baseurl`.

A page describes itself in its `myst: html_meta: description`, or the build fails. What every page's
head has besides, for browsers, is in `templates/layout.html`.
"""

from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from .editions import speaker

logger = logging.getLogger(__name__)

#: Labels of buttons, in place of the theme's.
NAMES = {
    "Binder": "JupyterLab on Binder",
    ".ipynb": "Notebook",
    ".md": "Source",
    ".pdf": "Print",
}
BUTTONS = ("use_repository_button", "use_issues_button", "use_edit_page_button")


def switch(_app: Sphinx, config: Config) -> None:
    """Show the theme's buttons if the repository has an address; complete the site's own."""
    options = config.html_theme_options
    repository = (options.get("repository_url") or "").rstrip("/").removesuffix(".git")
    options["repository_url"] = repository
    for button in BUTTONS:
        options[button] = bool(repository)
    options["launch_buttons"] = (options.get("launch_buttons") or {}) if repository else {}
    site = config.html_baseurl or pages_address(repository)
    config.html_baseurl = site if not site or site.endswith("/") else f"{site}/"


def pages_address(repository: str) -> str:
    """Return where GitHub Pages publishes a repository; "" for a repository elsewhere."""
    parts = urlsplit(repository)
    if parts.netloc != "github.com":
        return ""
    owner, name = parts.path.strip("/").split("/")[:2]
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def launch_notebooks(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Rename the buttons, and keep the launch buttons on notebooks only."""
    buttons = context.get("header_buttons", [])
    launch = [one for one in buttons if one.get("label") == "launch-buttons"]
    for place in [one for group in buttons for one in group.get("buttons", ())]:
        if place["text"] in NAMES:
            place["text"] = speaker(app.config.language)(NAMES[place["text"]])
    if context.get("page_source_suffix") != ".ipynb":
        buttons[:] = [one for one in buttons if one not in launch]


def ask(_app: Sphinx, pagename: str, _template: str, _context: Any, doctree: Any) -> None:
    """Warn of a page of the book without a description."""
    tags = doctree.findall(nodes.meta) if doctree else [{"name": "description"}]
    if not any(tag.get("name") == "description" for tag in tags):
        logger.warning("%s: no description; say it in myst: html_meta", pagename)


def setup(app: Sphinx) -> None:
    """Set the theme's options, correct its buttons, and check descriptions."""
    app.connect("config-inited", switch, priority=100)  # before the theme reads its options
    # After the theme has made its buttons.
    app.connect("html-page-context", launch_notebooks, priority=900)
    app.connect("html-page-context", ask)
