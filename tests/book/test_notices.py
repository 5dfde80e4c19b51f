"""The licences of what the site carries: packages, scripts, and fonts with names of their own."""

import base64
import io
import json
import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from notes_site import notices
from sphinx.errors import ExtensionError

HERE = Path(notices.__file__).parent


@pytest.fixture(scope="module")
def text(site):
    return (site / "_static" / notices.FILE).read_text("utf-8-sig")


def test_every_page_leads_to_the_licences(pages):
    for path, page in pages.items():
        (link,) = page.select(f"a[href$='{notices.FILE}']")
        way = os.path.relpath(f"_static/{notices.FILE}", Path(path).parent)
        assert link["href"] == Path(way).as_posix(), path


def test_every_package_is_named_with_its_version_and_its_licence_stands_once(text, node_modules):
    for one in notices.packages(node_modules):
        assert f"\n{one.name} {one.version}\n" in text
        assert text.count(one.text) == 1, one.name
    for file in HERE.glob("scripts/*.js"):
        imported = re.findall(r'^import .*"([^".].*)";$', file.read_text("utf-8"), flags=re.M)
        assert set(imported) <= set(notices.FROM_NPM), file


def test_no_font_bears_a_reserved_name(site, text):
    css = (site / "_static/site.css").read_text("utf-8")
    inside = re.findall(r"data:font/woff2;base64,([\w+/=]+)", css)
    found = [file.read_bytes() for file in site.rglob("*.woff2")]
    fonts = [TTFont(io.BytesIO(data))["name"] for data in [*found, *map(base64.b64decode, inside)]]
    assert len(fonts) > 10
    reserved = re.findall(r"Reserved\s+Font\s+Name:?\s+[‘\"]?([\w ]+)", text)
    assert {"Source", "Font Awesome", "KaTeX_Main"} <= set(reserved)
    borne = {str(one) for names in fonts for one in names.names if one.nameID not in (0, 13, 14)}
    borne |= set(re.findall(r"@font-face\s*\{[^}]*font-family:\s*([^;}]+)", css))
    for name in borne:
        plain = re.sub(r"[\W_]", "", name).lower()
        assert not [one for one in reserved if re.sub(r"[\W_]", "", one).lower() in plain], name


@pytest.mark.parametrize(
    ("name", "module", "file", "version"),
    [
        ("bootstrap", "pydata_sphinx_theme", "pydata-sphinx-theme.css", r"Bootstrap +v([\d.]+) "),
        (
            *("@fortawesome/fontawesome-free", "pydata_sphinx_theme", "pydata-sphinx-theme.css"),
            r"Font Awesome Free ([\d.]+) by",
        ),
        ("clipboard", "sphinx_copybutton", "clipboard.min.js", r"clipboard\.js v([\d.]+)\n"),
    ],
)
def test_a_licence_of_what_comes_within_a_package_is_of_its_version(
    node_modules, name, module, file, version
):
    place = Path(find_spec(module).origin).parent
    (found,) = {m for one in place.rglob(file) for m in re.findall(version, one.read_text())}
    package = json.loads((node_modules / name / "package.json").read_text("utf-8"))
    assert package["version"] == found, f"set {name} in {HERE / 'package.json'} to {found}"


def test_a_package_without_its_licence_ends_the_build(tmp_path):
    with pytest.raises(ExtensionError, match="The package left-pad has no file with its licence"):
        notices.licence("left-pad", tmp_path.iterdir())
