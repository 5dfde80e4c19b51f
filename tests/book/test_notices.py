"""The licences of what the site carries: everything has an entry, and no font a reserved name."""

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
OFL = ("SIL OPEN FONT LICENSE", "PERMISSION & CONDITIONS", "TERMINATION", "DISCLAIMER")


@pytest.fixture(scope="module")
def text(site):
    return (site / "_static" / notices.FILE).read_text("utf-8-sig")


@pytest.fixture(scope="module")
def styles(site):
    """Where fonts are named: the stylesheet, and the page that carries what it needs."""
    return [(site / name).read_text("utf-8") for name in ("_static/site.css", "404.html")]


@pytest.fixture(scope="module")
def fonts(site, styles):
    """Every font of the site, wherever it stands, with its records of names."""
    found = [file.read_bytes() for file in site.rglob("*.woff2")]
    for style in styles:
        data = re.findall(r"data:font/woff2;base64,([\w+/=]+)", style)
        found += map(base64.b64decode, data)
    assert len(found) > 10
    assert not [file for file in site.rglob("*") if file.suffix in (".woff", ".ttf", ".otf")]
    return [TTFont(io.BytesIO(data))["name"] for data in found]


def test_every_page_leads_to_the_licences(pages):
    for path, page in pages.items():
        (link,) = page.select(f"a[href$='{notices.FILE}']")
        way = os.path.relpath(f"_static/{notices.FILE}", Path(path).parent)
        assert link["href"] == Path(way).as_posix(), path


def test_every_static_file_belongs_to_an_entry_or_is_the_books(site, text):
    static = site / "_static"
    for file in filter(Path.is_file, static.rglob("*")):
        owners = notices.owners(file.relative_to(static).as_posix())
        assert owners, file
        for name in filter(None, owners):
            assert re.search(rf"^{name} \d", text, flags=re.M), name


def test_every_package_is_named_with_its_version_and_its_licence(text, node_modules):
    entries = dict(re.findall(r"^(\S+) (\d[\w.]*: .+)$", text, flags=re.M))
    assert set(entries) == {*notices.FROM_NPM, *notices.FROM_PYTHON}
    assert all(len(entry.split(": ")[1]) > 2 for entry in entries.values())
    for one in notices.packages(node_modules):
        assert text.count(one.text) == 1, one.name


def test_what_scripts_import_belongs_to_an_entry():
    for file in HERE.glob("scripts/*.js"):
        imported = re.findall(r'^import .*"([^".].*)";$', file.read_text("utf-8"), flags=re.M)
        assert set(imported) <= set(notices.FROM_NPM), file


def test_each_font_has_its_notice_and_its_licence(fonts, text):
    assert all(part in text for part in OFL)
    for names in fonts:
        for place in (0, 13):
            if names.getName(place, 3, 1, 0x409):
                # KaTeX's fonts have the first lines of their licence as copyright, too.
                lines = names.getDebugName(place).strip().splitlines()
                assert all(re.sub(r"[ ,]", "", line) in re.sub(r"[ ,]", "", text) for line in lines)
        assert names.getDebugName(0)


def test_no_font_bears_a_reserved_name(fonts, styles, text):
    reserved = re.findall(r"Reserved\s+Font\s+Name:?\s+[‘\"]?([\w ]+)", text)
    assert {"Source", "Font Awesome", "KaTeX_Main"} <= set(reserved)
    borne = {
        str(record) for names in fonts for record in names.names if record.nameID not in (0, 13, 14)
    }
    rules = [rule for style in styles for rule in re.findall(r"@font-face\s*\{[^}]*\}", style)]
    families = {re.search(r"font-family:\s*([^;}]+)", rule)[1] for rule in rules}
    assert len(families) > 5
    for name in borne | families:
        plain = re.sub(r"[\W_]", "", name).lower()
        assert not [one for one in reserved if re.sub(r"[\W_]", "", one).lower() in plain], name


def test_the_licences_of_what_comes_within_packages_are_of_the_same_version(node_modules):
    within = {
        "bootstrap": ("pydata_sphinx_theme", notices.THEME, r"Bootstrap +v([\d.]+) "),
        "@fortawesome/fontawesome-free": (
            *("pydata_sphinx_theme", notices.THEME),
            r"Font Awesome Free ([\d.]+) by",
        ),
        "clipboard": ("sphinx_copybutton", "clipboard.min.js", r"clipboard\.js v([\d.]+)\n"),
    }
    for name, (module, file, version) in within.items():
        place = Path(find_spec(module).origin).parent
        (found,) = {m for one in place.rglob(file) for m in re.findall(version, one.read_text())}
        package = json.loads((node_modules / name / "package.json").read_text("utf-8"))
        assert package["version"] == found, f"set {name} in {HERE / 'package.json'} to {found}"


def test_a_file_that_nobody_answers_for_ends_the_build(build, tmp_path):
    (tmp_path / "static").mkdir()
    (tmp_path / "static/stranger.js").write_text("alert(1)")
    with pytest.raises(ExtensionError, match=r"carries _static/stranger\.js, and no package"):
        build("# Title\n", "notices", html_static_path=["static"])


def test_a_package_without_its_licence_ends_the_build(tmp_path):
    (tmp_path / "README.md").write_text("MIT")
    with pytest.raises(ExtensionError, match="The package left-pad has no file with its licence"):
        notices.licence("left-pad", tmp_path.iterdir())
    odd = notices.Package("left-pad", "1.0", "Ask me first.", [])
    with pytest.raises(ExtensionError, match="licence of the package left-pad is none of CC BY"):
        _ = odd.licence
