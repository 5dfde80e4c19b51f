"""Show interactive figures on the static site, and stills of those that need Python.

An `Explorer` or a scene becomes an element of the page that holds its state as JSON. One script for
each kind, built from the widget's own modules and `host.js`, runs all of that kind; a page without
them does not load the script.
Any other widget would be a control without effect: it is replaced by its picture when its cell
had run, and a line on how to run it.

No other host is contacted, and a page opened from a folder works too.
"""

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from .editions import said, speaker
from .npm import tools
from .statements import html

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
SHOWN = ("points", "labels", "settings", "run", "step", "rev", "words")
SHOWN_OF_SCENES = ("scene", "state", "words")
HOW_TO_RUN = "In a notebook this cell shows controls that move the picture."


def kinds() -> dict[str, type[Any]]:
    """Return the widget class of each kind of figure."""
    from perceptron_notes.figures import scenes
    from perceptron_notes.figures.explorer import Explorer

    made = [getattr(scenes, name) for name in scenes.__all__]
    return {"explorer": Explorer} | {one.name: one for one in made if one.name}


def runtime(shorten: Callable[[str], str] = str) -> dict[str, str]:
    """Return the files that run figures without Jupyter, by name, with JupyterLab's scripts."""
    from perceptron_notes.figures import scenes
    from perceptron_notes.figures.explorer import page

    host = Path(page.__file__).with_name("host.js").read_text("utf-8").rstrip()
    files = {"explorer.css": tones() + scenes.Scene._css}
    for kind, widget in kinds().items():
        arguments = json.dumps([kind, shorten(str(widget._esm))], ensure_ascii=False)[1:-1]
        files[f"{kind}.js"] = f"{host}({arguments});\n"
    return files


def tones() -> str:
    """Return the figures' colours as CSS variables; print is never dark."""
    from perceptron_notes._kit.palette import DARK, declared

    dark = f'html[data-theme="dark"] {{ {declared("pn", DARK)} }}'
    return f"html {{ {declared('pn')} }}\n@media screen {{ {dark} }}\n"


def write_runtime(app: Sphinx, config: Config) -> None:
    """Write the script and the stylesheet to a folder of static files."""
    folder = Path(app.outdir).parent / ".explorer" / "explorer"
    folder.mkdir(parents=True, exist_ok=True)

    def shorten(script: str) -> str:
        return str(tools(app)("shorten", script=script))

    for name, text in runtime(shorten).items():
        (folder / name).write_text(text, "utf-8")
    config.html_static_path.append(str(folder.parent.resolve()))


def widgets_of(app: Sphinx, docname: str) -> dict[str, Any]:
    """Return the states of a page's widgets after its cells have run, by id."""
    metadata = getattr(app.env, "nb_metadata", {}).get(docname, {})
    _, kwargs = metadata.get("js_files", {}).get("ipywidgets_state", (None, {}))
    return json.loads(kwargs.get("body", "{}")).get("state", {})


def displays(document: nodes.document) -> Iterator[tuple[nodes.container, str]]:
    """Yield the outputs that show widgets, with the widgets' ids."""
    for bundle in list(document.findall(nodes.container)):
        if bundle.get("nb_element") == "mime_bundle":
            for child in bundle.children:
                if child.get("mime_type") == VIEW:
                    text = child.astext()
                    told = json.loads(text[text.index("{") : text.rindex("}") + 1])
                    yield bundle, told["model_id"]


class NameScenes(SphinxTransform):
    """Gives the stills of scenes their alternative text, so that Sphinx can translate it."""

    default_priority = 10  # before Sphinx's own translation

    def apply(self, **_kwargs: Any) -> None:
        """Process the outputs of all cells."""
        widgets = widgets_of(self.app, self.env.docname)
        for bundle, model in displays(self.document):
            state = widgets.get(model, {}).get("state", {})
            for image in bundle.findall(nodes.image) if "scene" in state else ():
                image["alt"] = state["alt"]


class PlaceFigures(SphinxPostTransform):
    """Replaces the view of each widget by what a page without Python can show."""

    default_priority = 3  # before MyST-NB chooses between an output's formats
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Process the outputs of all cells."""
        from perceptron_notes.figures.explorer.page import describe

        widgets = widgets_of(self.app, self.env.docname)
        kinds_here = set[str]()
        how_to_run = speaker(self.config.language)(HOW_TO_RUN)
        for bundle, model in displays(self.document):
            formats = {child.get("mime_type"): child for child in bundle.children}
            state = widgets.get(model, {}).get("state", {})
            if "scene" in state or ("run" in state and "settings" in state):
                kind, picture = state.get("scene", "explorer"), formats["image/png"]
                state = speaking(state, self.config.language)
                if "scene" not in state:
                    for image in picture.findall(nodes.image):
                        image["alt"] = describe(state)
                if kind in kinds_here:  # the first of a kind carries the texts for all
                    state = {**state, "words": {}}
                kinds_here.add(kind)
                bundle.replace_self(figure(state, picture))
                continue
            if in_figure(bundle):
                bundle.replace_self(still(formats, how_to_run))
            else:
                bundle.replace_self(html(f'<p class="pn-still">{escape(how_to_run)}</p>'))


def figure(state: dict[str, Any], picture: nodes.Element) -> list[nodes.Node]:
    """Return the nodes of an interactive figure, with a picture for pages without scripts."""
    return [html(opening(state) + "<noscript>"), *picture.children, html("</noscript></div>")]


def speaking(state: dict[str, Any], language: str) -> dict[str, Any]:
    """Return the state of a figure, which has run in English, in a language."""
    if language == "en":
        return state
    kind = "scenes" if "scene" in state else "explorer"
    say = speaker(language, kind)
    if kind == "explorer":  # the names of axes and sides come from the chapter
        settings, known = state["settings"], said(language)
        named = {
            key: [known.get(one, one) for one in settings[key] or ()] for key in ("names", "sides")
        }
        state = {**state, "settings": {**settings, **named}}
    return {**state, "words": {key: say(text) for key, text in state["words"].items()}}


def opening(state: dict[str, Any]) -> str:
    """Return the start of a figure's HTML: an open element, with the state in it."""
    kind = state.get("scene", "explorer")
    kept = {name: state[name] for name in (SHOWN_OF_SCENES if "scene" in state else SHOWN)}
    # In fixed order, whether a cell ran or came from the cache; no text in it may end the script.
    text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    text = text.replace("<", "\\u003c")
    place = f'<div class="pn-figure" data-kind="{kind}">'
    return f'{place}<script type="application/json">{text}</script>'


def in_figure(node: nodes.Node) -> bool:
    """Return whether a node belongs to a numbered figure, to whose picture the text refers."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.figure):
            return True
    return False


def still(formats: dict[str, nodes.Element], how_to_run: str) -> list[nodes.Node]:
    """Return the nodes of some controls' picture, with its caption, which their text has."""
    picture, says = formats["image/svg+xml"], formats["text/plain"].astext()
    says = says.removeprefix("Controls(").removesuffix(")")
    for image in picture.findall(nodes.image):
        image["alt"] = says
    return [
        html('<div class="pn-still">'),
        *picture.children,
        html(f"<p>{escape(says)}</p><p>{escape(how_to_run)}</p></div>"),
    ]


def load_runtime(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add the scripts of a page's widgets, and drop MyST-NB's copy of all their states."""
    scripts = context.get("script_files", [])
    scripts[:] = [one for one in scripts if getattr(one, "attributes", {}).get("type") != STATE]
    parts = [raw.astext() for raw in doctree.findall(nodes.raw)] if doctree else []
    for kind in kinds():
        if any(f'class="pn-figure" data-kind="{kind}"' in part for part in parts):
            app.add_js_file(f"explorer/{kind}.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Ship the figures' scripts, and add the transforms."""
    app.setup_extension("notes_site.npm")
    app.add_css_file("explorer/explorer.css")
    app.connect("config-inited", write_runtime)
    app.connect("html-page-context", load_runtime, priority=900)  # after MyST-NB
    app.add_transform(NameScenes)
    app.add_post_transform(PlaceFigures)
