"""The built site, in a browser and on disk."""

import re
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect
from visiting import DESKTOP, TELEPHONE, lay_out, settle, visit

OPEN_ALL = "document.querySelectorAll('details').forEach(d => (d.open = true))"
# What is far below the screen is laid out, brought to life and reached by keys when one comes near.
READ_ALL = """async () => {
    const shown = () => new Promise((f) => { // one frame to see what is near, one to lay it out
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(f, 20)));
        setTimeout(f, 2000); // a browser that shows nothing must not be waited for
    });
    for (let y = 0; y < document.scrollingElement.scrollHeight; y += innerHeight) {
        scrollTo(0, y);
        await shown();
    }
    await new Promise((f) => setTimeout(f, 200));
}"""


@pytest.fixture(scope="module")
def pages(site):
    """Every page but the redirect: its path in the site, and its parsed HTML."""
    files = [file for file in site.rglob("*.html") if "_static" not in file.parts]
    files.remove(site / "index.html")
    soups = {
        file.relative_to(site).as_posix(): BeautifulSoup(file.read_text("utf-8"), "html.parser")
        for file in sorted(files)
    }
    assert "book/index.html" in soups
    return soups


@pytest.fixture(scope="module")
def chapters(pages):
    """The pages that are made from notebooks."""
    found = {path: page for path, page in pages.items() if re.match(r"book/\d", path)}
    assert found
    return found


def article(page):
    """A copy of a page's text, without code and without what formulas are made of."""
    copy = BeautifulSoup(str(page.find("article")), "html.parser")
    for element in copy.select("pre, code, script, style, .katex, dt.sig"):
        element.decompose()
    return copy.get_text()


def test_the_book_builds(pages):
    """Without a warning: see the fixture `site`. One worker does this while the others go on."""
    assert len(pages) > 15


# In a browser -----------------------------------------------------------------------------------


def complaints(page, address, home):
    """What a browser has to say against a page."""
    heard = []
    page.on("console", lambda m: m.type in ("error", "warning") and heard.append(m.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    # A page that is left while it loads breaks its requests off: no fault of theirs.
    broken_off = "net::ERR_ABORTED"
    page.on(
        "requestfailed",
        lambda r: r.failure == broken_off or heard.append(f"{r.failure}: {r.url}"),
    )
    page.on("response", lambda r: r.status >= 400 and heard.append(f"{r.status}: {r.url}"))
    page.on(
        "request",
        lambda r: r.url.startswith((home, "data:", "blob:")) or heard.append(f"leaves: {r.url}"),
    )
    visit(page, address)
    return heard


def test_no_page_complains_or_asks_another_host(pages, origin, tab):
    for path in pages:
        heard = complaints(tab(), f"{origin}/{path}", origin)
        assert not heard, f"{path}: {heard}"


def test_pages_open_from_a_folder(site, chapters, tab):
    for path in ("index.html", "search.html", "book/glossary.html", next(iter(chapters))):
        heard = complaints(tab(), (site / path).as_uri(), site.as_uri())
        assert not heard, f"{path}: {heard}"


@pytest.mark.parametrize("from_disk", [False, True], ids=["http", "file"])
def test_every_chapters_figure_steps_and_follows_a_drag(site, chapters, origin, tab, from_disk):
    home = site.as_uri() if from_disk else origin
    for path, chapter in chapters.items():
        if not chapter.select(".pn-figure[data-kind=explorer]"):
            continue  # a scene: test_scenes.py, and a test of its own
        page = tab()
        heard = complaints(page, f"{home}/{path}", home)
        figure = page.locator(".pn-figure[data-kind=explorer]").first
        figure.scroll_into_view_if_needed()
        page.wait_for_selector(".pn-figure[data-state=live]")
        words, whole = figure.locator(".words"), figure.locator(".layout")
        before = words.inner_text()
        figure.locator(".slider input, .bar input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
        assert words.inner_text() != before, f"{path}: a key changes nothing"
        seen = whole.inner_html()
        figure.locator(".plane").evaluate("e => e.scrollIntoView({ block: 'center' })")
        box = figure.locator(".samples > *").first.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y + 30, steps=3)
        page.mouse.up()
        changed = "([whole, seen]) => whole.innerHTML !== seen"
        page.wait_for_function(changed, arg=[whole.element_handle(), seen])  # the drag did it
        assert not heard, f"{path}: {heard}"


def test_the_first_address_leads_to_the_book(origin, tab):
    page = tab()
    heard = complaints(page, f"{origin}/", origin)
    page.wait_for_url("**/book/index.html")
    assert not heard


@pytest.mark.parametrize("from_disk", [False, True], ids=["http", "file"])
def test_search_finds_a_word(site, origin, tab, from_disk):
    home = site.as_uri() if from_disk else origin
    page = tab()
    heard = complaints(page, f"{home}/search.html?q=margin", home)
    page.wait_for_selector("ul.search li a")
    assert not heard


@pytest.mark.parametrize(
    ("scheme", "forced", "viewport"),
    [("light", "none", DESKTOP), ("dark", "none", TELEPHONE), ("dark", "active", DESKTOP)],
)
def test_axe_finds_nothing(pages, origin, tab, axe, scheme, forced, viewport):
    for path in pages:
        # One tab for all would keep what axe leaves, almost a gigabyte, and grow slow.
        page = tab(color_scheme=scheme, forced_colors=forced, viewport=viewport)
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        page.evaluate(READ_ALL)
        page.evaluate(axe)
        # What draws a formula is hidden from screen readers, and has the colour of its text; a
        # head that is a formula seems empty to axe, which does not read MathML; and of a colour
        # that the reader forces, axe sees the one that it replaces.
        found = page.evaluate(
            """axe.configure({
                rules: [{ id: 'empty-table-header', selector: 'th:not(:has(math))' }],
            });
            axe.run({ exclude: ['.katex-html'] }, {
                resultTypes: ['violations'],
                rules: {
                    'color-contrast': { enabled: matchMedia('(forced-colors: none)').matches },
                },
            }).then(({ violations }) => violations)"""
        )
        told = [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
        assert not told, f"{path}: {told}"
        page.close()


@pytest.mark.parametrize("viewport", [DESKTOP, {"width": 412, "height": 823}])
def test_what_is_pressed_lies_free_before_the_page_is_scrolled(pages, origin, tab, axe, viewport):
    page = tab(viewport=viewport)
    for path in pages:
        visit(page, f"{origin}/{path}")
        page.evaluate(axe)
        found = page.evaluate("axe.run({ runOnly: { type: 'rule', values: ['target-size'] } })")
        assert not [one["nodes"][0]["html"][:200] for one in found["violations"]], path


def test_what_scrolls_by_itself_can_be_reached_by_keys(chapters, origin, tab):
    page = tab(viewport=TELEPHONE)
    for path in chapters:
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        boxes = page.locator("article pre, article .output")
        wide = boxes.evaluate_all(
            "all => all.flatMap((e, i) => (e.scrollWidth > e.clientWidth ? [i] : []))"
        )
        assert wide, path
        for i in wide:
            boxes.nth(i).scroll_into_view_if_needed()
            expect(boxes.nth(i)).to_have_attribute("tabindex", "0")


def test_figures_below_the_screen_start_when_they_come_near(chapters, origin, tab):
    page = tab(viewport=TELEPHONE)
    state = "document.querySelector('.pn-figure').dataset.state ?? null"
    for path in chapters:
        visit(page, f"{origin}/{path}")
        far = "document.querySelector('.pn-figure').getBoundingClientRect().top > 3 * innerHeight"
        assert page.evaluate(state) is None or not page.evaluate(far), path
        page.evaluate("document.querySelector('.pn-figure').scrollIntoView()")
        page.wait_for_selector(".pn-figure[data-state=live]")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        alive = "[...document.querySelectorAll('.pn-figure')].every((e) => e.dataset.state)"
        assert page.evaluate(alive), f"{path}: a printed page lacks a figure"


def test_a_link_into_a_chapter_arrives(pages, chapters, origin, tab):
    """What is laid out late must not push away what a reader has jumped to."""
    page = tab(viewport=TELEPHONE)
    for path in chapters:
        anchor = pages[path].select("article section")[-1]["id"]
        visit(page, f"{origin}/{path}#{anchor}")
        page.wait_for_function(
            """id => {
                const { top } = document.getElementById(id).getBoundingClientRect();
                const { scrollHeight } = document.scrollingElement;
                return (0 <= top && top < 200) || scrollHeight - innerHeight - scrollY < 2;
            }""",
            arg=anchor,
        )


def test_formulas_have_all_their_letters(chapters, origin, tab):
    """The fonts of the site hold only some characters: none may come from another font."""
    page = tab()
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    for path in chapters:
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        lay_out(page)
        page.evaluate("document.fonts.ready")
        root = session.send("DOM.getDocument")["root"]["nodeId"]
        found = session.send(
            "DOM.querySelectorAll", {"nodeId": root, "selector": "article .katex-html"}
        )
        for node in found["nodeIds"]:
            used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            others = [font for font in used if not font["familyName"].startswith("NotesMath")]
            assert not others, f"{path}: {others}"


def test_every_figure_has_its_letters(pages, origin, tab):
    """Also where another figure of the page has them, and whether scripts run or not."""
    for scripts in (True, False):
        page = tab(viewport=DESKTOP, java_script_enabled=scripts)
        for path in pages:
            page.goto(f"{origin}/{path}")
            if scripts:
                settle(page)
            lost = page.evaluate(
                """() => [...document.querySelectorAll('use')]
                    .map((use) => use.getAttribute('href'))
                    .filter((href) => !document.getElementById(href.slice(1)))"""
            )
            assert not lost, path


@pytest.mark.parametrize("letters", [16, 20])
def test_no_page_scrolls_sideways_on_a_telephone(pages, origin, tab, letters):
    """Whatever its width, and with the letters that readers choose in their browser."""
    page = tab(viewport=TELEPHONE)
    sizes = {"standard": letters, "fixed": letters * 13 // 16}
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    for path in pages:
        page.set_viewport_size(TELEPHONE)
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        lay_out(page)
        root = page.evaluate("getComputedStyle(document.documentElement).fontSize")
        assert root == f"{letters}px"
        for width in (360, 372, 390, 396, 412, 430):
            page.set_viewport_size({**TELEPHONE, "width": width})
            assert page.evaluate("document.scrollingElement.scrollWidth") <= width, path


def test_wide_things_scroll_within_themselves(chapters, origin, tab):
    page = tab(viewport=TELEPHONE)
    for path in chapters:
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        lost = page.evaluate(
            """() => [...document.querySelectorAll('article :is(pre, table, .katex-display, svg)')]
                .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
                .filter(e => !e.closest('pre, .math-scroll, .pst-scrollable-table-container'))
                .map(e => e.outerHTML.slice(0, 80))"""
        )
        assert not lost, f"{path}: {lost}"


def test_a_snug_table_has_a_line_for_each_cell_of_its_body(chapters, origin, tab):
    page = tab(viewport=TELEPHONE)
    for path in chapters:
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        lay_out(page)
        tables = page.evaluate(
            """() => [...document.querySelectorAll('table.snug')].map(table => {
                const box = table.parentElement, cells = [...table.querySelectorAll('td p')];
                const height = Math.max(...cells.map(cell => cell.clientHeight));
                return [table.innerText, box.scrollWidth - box.clientWidth, height];
            })"""
        )
        assert len(tables) > 1, path
        assert [text for text, lost, height in tables if lost > 0 or height > 40] == [], path


def test_an_option_answers_by_keyboard_without_a_script(chapters, origin, tab):
    page = tab(java_script_enabled=False)
    for path in chapters:
        page.goto(f"{origin}/{path}")
        quizzes = page.locator(".quiz")
        assert quizzes.count(), path
        for quiz in quizzes.all():
            options = quiz.locator("details").all()
            assert len(options) > 1
            for option in options:
                answer = option.locator(".quiz-answer")
                assert not answer.is_visible()
                option.locator("summary").focus()
                page.keyboard.press("Enter")
                assert answer.is_visible()
                assert option.locator("summary").bounding_box()["height"] >= 44
            # The options of a question close one another.
            assert quiz.locator("details[open]").count() == 1


def test_figures_take_the_colours_of_the_theme(chapters, origin, tab):
    seen = {}
    for scheme in ("light", "dark"):
        page = tab(color_scheme=scheme)
        visit(page, f"{origin}/{next(iter(chapters))}")
        seen[scheme] = page.evaluate(
            """() => { const part = document.querySelector('svg.figure [style*="--pn-"]');
                const style = getComputedStyle(part);
                return [style.fill, style.stroke, getComputedStyle(document.body).backgroundColor];
            }"""
        )
    assert seen["light"] != seen["dark"]
    assert seen["light"][2] != seen["dark"][2]


# On disk ----------------------------------------------------------------------------------------


def test_no_rule_for_a_figure_is_lost(site):
    """The figures' script puts some of its classes together, so that no page names them in full."""
    css = (site / "_static/site.css").read_text("utf-8")
    sheet = (site.parent.parent / "perceptron_notes/explorer/explorer.css").read_text("utf-8")
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", sheet, flags=re.S)
    script = (site / "_static/explorer/explorer.js").read_text("utf-8")
    names = set(re.findall(r"\.(-?[a-z_][\w-]*)", rules))
    names = {name for name in names if name.rstrip("0123456789") in script}
    assert "level4" in names
    assert not [name for name in names if not re.search(rf"\.{name}\b", css)]


def test_no_property_has_a_sentence_for_its_type(pages):
    """What stands before a colon in its docstring would be taken for that."""
    for path in ("book/api.html", "book/api-two.html"):
        assert not pages[path].select("dl.py.property > dd > dl.field-list"), path


def test_appendices_have_letters_and_count_their_figures(pages):
    letters = {}
    for path, page in pages.items():
        number = page.select_one("article h1 .section-number")
        first = page.select_one("article figcaption .caption-number")
        if number and first:
            letters[number.get_text(strip=True)] = first.get_text(strip=True)
        assert number or not first or path == "book/index.html", f"{path}: {first}"
    assert "1." in letters
    assert any(number[0].isalpha() for number in letters)
    for number, first in letters.items():
        assert first == f"Fig. {number}1", number


def test_a_page_has_one_viewport_and_the_books_title_once(pages):
    for path, page in pages.items():
        assert len(page.select("meta[name=viewport]")) == 1, path
        assert page.title.get_text().count("The Perceptron, Executable") == 1, path


def test_every_internal_link_resolves(site, pages):
    ids = {path: {e["id"] for e in page.select("[id]")} for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.select("a[href]"):
            target, anchor = urldefrag(unquote(link["href"]))
            if re.match(r"[a-z]+:|//", target):
                continue
            file = (site / path).parent.joinpath(target).resolve() if target else site / path
            assert file.is_file(), f"{path} links to {link['href']}"
            name = file.relative_to(site.resolve()).as_posix() if target else path
            if anchor and name in ids:
                assert anchor in ids[name], f"{path} links to {link['href']}"


def test_ids_are_unique(pages):
    for path, page in pages.items():
        ids = [element["id"] for element in page.select("article [id]")]
        assert len(ids) == len(set(ids)), (path, {i for i in ids if ids.count(i) > 1})


def test_every_formula_is_set(pages, chapters):
    for path, page in pages.items():
        assert "mathjax" not in str(page).lower(), path
        assert not page.select(".katex-error"), path
        raw = re.search(r"\$[^$\n]+\$|\\[a-zA-Z]+|\\[(\[]", article(page)) if page.article else None
        assert not raw, f"{path}: {raw[0]}"
    for path, page in chapters.items():
        formulas = page.select("article .katex")
        assert formulas, path
        assert all(formula.select("math") for formula in formulas), path


def test_titles_and_contents_are_plain_text(pages):
    for path, page in pages.items():
        places = page.select("title, nav a, .prev-next-title")
        text = " ".join(place.get_text() for place in places)
        assert not re.search(r"\\[a-zA-Z]|\$", text), f"{path}: {text}"
        assert not [place for place in places if place.select(".katex")], path


def test_every_figure_says_what_it_shows(pages, chapters):
    for path, page in pages.items():
        for figure in page.select("article svg.figure:not([aria-hidden=true])"):
            assert len(figure["aria-label"].split()) > 3, path
        for image in page.select("article img"):
            alt = image.get("alt", "")
            assert len(alt.split()) > 3, f"{path}: {alt}"
            assert not alt.endswith((".svg", ".png")), f"{path}: {alt}"
    assert all(page.select("article svg.figure") for page in chapters.values())


def test_pages_describe_themselves(pages):
    for name in ("index", "notation", "glossary", "api", "bibliography"):
        path = f"book/{name}.html"
        description = pages[path].select_one("meta[name=description]")
        assert description, path
        assert len(description["content"]) > 40, path


def test_a_page_loads_what_it_shows(pages):
    for path, page in pages.items():
        if path == "404.html":  # it is shown at any address, so it carries all that it needs
            assert not page.select("[rel=stylesheet], script[src]")
            continue
        depth = "../" * path.count("/")
        sheets = [
            urldefrag(one["href"])[0].split("?")[0] for one in page.select("[rel=stylesheet]")
        ]
        assert sheets == [f"{depth}_static/site.css"], path
        named = [script["src"] for script in page.select("script[src]")]
        named += [
            name for script in page.select("[data-later]") for name in script["data-later"].split()
        ]
        scripts = {name.split("?")[0].removeprefix(depth) for name in named}
        search = {
            "_static/searchtools.js",
            "_static/language_data.js",
            "_static/search.js",
            "searchindex.js",
        }
        wanted = {"_static/site.js"} | (search if path == "search.html" else set())
        wanted |= {
            f"_static/explorer/{figure['data-kind']}.js" for figure in page.select(".pn-figure")
        }
        assert scripts == wanted, path


def test_every_static_file_is_named_somewhere(site, pages):
    static = site / "_static"
    text = "".join(map(str, pages.values())) + (static / "site.css").read_text("utf-8")
    for file in static.rglob("*.*"):
        assert file.name in text, file


def test_every_variable_of_a_style_attribute_is_defined(site, pages):
    """The figures name colours that no rule of the stylesheet may name."""
    css = (site / "_static/site.css").read_text("utf-8")
    used = {name for page in pages.values() for name in re.findall(r"var\((--[\w-]+)", str(page))}
    assert used
    assert not [name for name in used if not re.search(rf"{name}\s*:", css)]
