"""Take pictures of all figures and pages of the built site, and of what differs: `make gallery`.

Each figure stands alone, in four sizes and four modes; each page shows its first screen on four
devices. `index.html` has them all, `sheets` those of one figure or page in a file, `differs` what
is other than in a reference. Letters are awaited, and nothing moves.
"""

import argparse
import functools
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path

import web
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
from playwright.sync_api import Page, sync_playwright
from visiting import contrast

#: The sizes of a figure: the width of its place, the height of the screen, its own if it has one.
SIZES = {"card": (320, 664, 0), "column": (520, 900, 0), "wide": (1040, 900, 0)}
SIZES["strip"] = (390, 664, 231)
SCREEN = {"media": "screen", "color_scheme": "light", "forced_colors": "none"}
MODES = {"light": SCREEN, "dark": {**SCREEN, "color_scheme": "dark"}}
MODES |= {"forced": {**SCREEN, "forced_colors": "active"}, "paper": {**SCREEN, "media": "print"}}
#: The devices on which a page is opened, and how many screens of it are looked at.
DEVICES = [("small", 390, 664, 2), ("small", 820, 1180, 1)]
DEVICES += [("large", 1366, 650, 1), ("large", 1920, 1080, 1)]
WIDEST = 1800  # px, of a sheet

#: The kind of each figure of the page at `path`, and a page that has nothing else.
ALONE = r"""async (path) => {
    const text = await (await fetch(path)).text();
    const { head, body, documentElement } = new DOMParser().parseFromString(text, "text/html");
    for (const one of head.querySelectorAll("script[src]")) one.remove();
    const words = {}; // those of a kind stand in its first figure
    return [...body.querySelectorAll(".pn-figure")].map((figure) => {
        const { kind } = figure.dataset, script = figure.querySelector("script");
        const state = JSON.parse(script.textContent);
        words[kind] ??= state.words;
        const whole = JSON.stringify({ ...state, words: words[kind] });
        script.textContent = whole.replaceAll("<", "\\u003c");
        body.innerHTML = `<main class="bd-article"><div>${figure.outerHTML}</div></main>`;
        return [kind, `<!DOCTYPE html>${documentElement.outerHTML}`];
    });
}"""

#: Start the figure when all letters are there: it measures them once.
START = """async () => {
    await Promise.all([...document.fonts].map((one) => one.load()));
    const { kind } = document.querySelector(".pn-figure").dataset;
    const src = new URL(`_static/explorer/${kind}.js`, document.baseURI.replace(/book\\/.*/, ""));
    document.head.append(Object.assign(document.createElement("script"), { src }));
}"""

#: Dress that page for a mode, as the site's own scripts do.
DRESS = """async ([mode, height]) => {
    document.documentElement.dataset.theme = mode === "dark" ? "dark" : "light";
    const { style } = document.querySelector(".pn-figure");
    if (height) style.cssText += `--pn-box: size; --pn-tall: ${height}px`;
    dispatchEvent(new Event(mode === "paper" ? "beforeprint" : "afterprint"));
    await document.fonts.ready;
}"""

#: How large the figure is, its smallest letters, how far it leaves its place; where buttons are.
MEASURE = """(height) => {
    const box = (one) => one.getBoundingClientRect();
    const all = { opacityProperty: true, visibilityProperty: true };
    const seen = [...document.querySelectorAll(".pn-figure, .pn-figure *")]
        .filter((one) => one.checkVisibility(all) && box(one).width > 1);
    const letters = seen.filter((one) => [...one.childNodes].some((node) => node.data?.trim()))
        .map((one) => {
            const { a, b } = one.getScreenCTM?.() ?? { a: one.currentCSSZoom ?? 1, b: 0 };
            return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b);
        });
    // Lines of a picture may go on beyond its edge; its letters may not, nor anything else.
    const whole = seen.filter((one) => !one.ownerSVGElement || one.matches("text"));
    const [left, top, right, bottom] = ["left", "top", "right", "bottom"]
        .map((side) => whole.map((one) => box(one)[side]));
    const size = [Math.max(...right), Math.max(...bottom)];
    const overflow = Math.max(size[0] - innerWidth, height && size[1] - height, 0,
        -Math.min(...left), -Math.min(...top));
    const button = "button:enabled:not([aria-disabled=true])";
    const buttons = seen.filter((one) => one.matches(button)).map((one) => box(one).toJSON());
    return { size, buttons, overflow, letters: letters.length ? Math.min(...letters) : null };
}"""


def picture(page: Page, **options: object) -> Image.Image:
    """Return a picture of a page as soon as it does not change any more, or else the tenth."""
    before = now = None
    for _ in range(10):
        before, now = now, page.screenshot(animations="disabled", **options)
        if now == before:
            break
    return Image.open(BytesIO(now)).convert("RGB")


def legible(image: Image.Image, button: dict[str, float]) -> float:
    """Return the contrast (1 to 21) of the letters in the middle of a button with their ground.

    It is that of pixels, whoever has set the colours; thin letters have less than their colour.
    """
    x, y = 0.2 * button["width"], 0.2 * button["height"]
    left, top, right, bottom = (button[side] for side in ("left", "top", "right", "bottom"))
    middle = image.crop([round(v) for v in (left + x, top + y, right - x, bottom - y)])
    colours = sorted(middle.getcolors(middle.width * middle.height), reverse=True)
    ground, *others = ["#" + bytes(colour).hex() for _, colour in colours]
    return max((contrast(ground, one) for one in others), default=1.0)


def of_figure(page: Page, address: str, alone: str) -> Iterator[tuple[str, Image.Image, dict]]:
    """Yield the name, picture and numbers of a figure in each size and mode."""
    page.route(address, lambda route: route.fulfill(body=alone, content_type="text/html"))
    for size, (width, high, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": high})
        for mode, media in MODES.items():  # each anew, as a figure keeps sizes that it had before
            page.emulate_media(reduced_motion="reduce", **(media | {"media": "screen"}))
            page.goto(address)
            page.evaluate(START)
            page.wait_for_selector(".pn-figure[data-state]")
            page.emulate_media(**media)
            page.evaluate(DRESS, [mode, height])
            picture(page)  # it has come to rest
            found = page.evaluate(MEASURE, height)
            clip = dict(zip(("x", "y", "width", "height"), (0, 0, *found.pop("size")), strict=True))
            shot = picture(page, clip=clip, full_page=True)
            ratios = [legible(shot, one) for one in found.pop("buttons")]
            yield f"{size}-{mode}", shot, {**found, "contrast": min(ratios, default=None)}
    page.unroute(address)


def of_page(page: Page, address: str) -> Iterator[tuple[str, Image.Image, dict]]:
    """Yield the name and picture of what each device shows of a page at first."""
    page.emulate_media(reduced_motion="reduce", **SCREEN)
    for kind, width, height, screens in DEVICES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address, wait_until="networkidle")
        for k in range(screens):
            page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", k * height)
            yield f"{width}-{k + 1}-{kind}", picture(page), {}


def shoot_some(site: Path, folder: Path, only: list[str], paths: list[str]) -> dict[str, dict]:
    """Take the pictures of some pages and their figures into a folder; return their numbers."""
    numbers = {}
    with web.served(site) as origin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=web.needed(), args=web.FLAGS)
        page = browser.new_page(device_scale_factor=1)
        page.goto(f"{origin}/404.html")
        for path in paths:
            short = path.removeprefix("book/").removesuffix(".html").replace("/", "-")
            address, views = f"{origin}/{path}", {}
            for k, (kind, alone) in enumerate(page.evaluate(ALONE, f"{origin}/{path}"), start=1):
                views[f"figures/{short}-{k}-{kind}"] = of_figure(page, address, alone)
            views[f"pages/{short}"] = of_page(page, address)
            for name in (one for one in views if not only or any(part in one for part in only)):
                (folder / name).mkdir(parents=True, exist_ok=True)
                for view, shot, found in views[name]:
                    shot.save(folder / name / f"{view}.png")
                    numbers[f"{name}/{view}"] = found
        browser.close()
    return numbers


def shoot(site: Path, folder: Path, only: list[str]) -> dict[str, dict]:
    """Take the pictures of a site, with some browsers at once; return their numbers."""
    paths = [file.relative_to(site).as_posix() for file in sorted(site.rglob("*.html"))]
    paths = [path for path in paths if path != "index.html" and not path.startswith("_static")]
    many = 1 + (os.cpu_count() or 1)  # one more, since many wait
    with ProcessPoolExecutor(many) as pool:
        shares = [paths[k::many] for k in range(many)]
        parts = pool.map(functools.partial(shoot_some, site, folder, only), shares)
        numbers = {name: found for part in parts for name, found in part.items()}
    kept = folder / "numbers.json"
    before = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    kept.write_text(json.dumps({**before, **numbers}, indent=1), "utf-8")
    return numbers


def compared(old: Image.Image, new: Image.Image) -> tuple[float, Image.Image]:
    """Return which share of two pictures differs, and the new one, faint, with that in red.

    A place differs by more than 8 of 255 in a channel, after a blur of one pixel.
    """
    size = max(old.width, new.width), max(old.height, new.height)
    pair = [Image.new("RGB", size, beside) for beside in ("black", "white")]
    for whole, image in zip(pair, (old, new), strict=True):
        whole.paste(image)
    blurred = [whole.filter(ImageFilter.GaussianBlur(1)) for whole in pair]
    most = functools.reduce(ImageChops.lighter, ImageChops.difference(*blurred).split())
    mask = most.point(lambda level: 255 * (level > 8))
    marked = Image.blend(pair[1], Image.new("RGB", size, "white"), 0.6)
    marked.paste((220, 0, 0), mask=mask)
    return mask.histogram()[255] / (size[0] * size[1]), marked


def write_sheet(file: Path, shelves: list[list[tuple[str, Image.Image]]]) -> None:
    """Write pictures with labels as one: those of a shelf beside each other, smaller if need be."""
    gap, head, y, font = 12, 44, 0, ImageFont.load_default(16)
    tall = sum(head + max(one.height for _, one in shelf) for shelf in shelves) + gap
    whole = Image.new("RGB", (WIDEST, tall), "#666")
    for shelf in shelves:
        room = WIDEST - gap * (len(shelf) + 1)
        scale, x = min(1, room / sum(one.width for _, one in shelf)), gap
        for label, one in shelf:
            small = one.resize([max(1, int(scale * side)) for side in one.size])
            ImageDraw.Draw(whole).text((x, y + 4), label, "white", font)
            whole.paste(small, (x, y + head))
            x += small.width + gap
        y += head + max(int(scale * one.height) for _, one in shelf)
    file.parent.mkdir(parents=True, exist_ok=True)
    whole.crop((0, 0, WIDEST, y + gap)).save(file)


def in_words(view: str, found: dict) -> str:
    """Return the label of a picture: what it is, and below that its numbers."""
    units = {"letters": "{:.1f} px", "contrast": "{:.1f}:1", "overflow": "{:+.0f} px"}
    return f"{view}\n" + "  ".join(units[k].format(v) for k, v in found.items() if v is not None)


def present(out: Path, new: Path, old: Path | None, numbers: dict[str, dict]) -> int:
    """Write sheets, of what differs too, and the page that shows them; return how many differ.

    A picture of which there is no old one differs as a whole.
    """
    before = json.loads((old / "numbers.json").read_text("utf-8")) if old else {}
    parts = []
    for of, names in itertools.groupby(numbers, lambda name: name.rpartition("/")[0]):
        file, shares, sheets = of.replace("/", "-"), [], {}
        for name in names:
            view, now = name.removeprefix(f"{of}/"), Image.open(new / f"{name}.png")
            mode, label = view.rpartition("-")[2], in_words(view, numbers[name])
            sheets.setdefault(f"sheets/{file}.png", {}).setdefault(mode, []).append((label, now))
            shares.append(1.0)
            if name in before:
                ancient = Image.open(old / f"{name}.png")
                shares[-1], marked = compared(ancient, now)
                shelf = [(in_words(f"{view}, old", before[name]), ancient), (label, now)]
                shelf.append((f"{shares[-1]:.2%} differs", marked))
                if shares[-1]:
                    sheets.setdefault(f"differs/{file}-{mode}.png", {})[view] = shelf
        for sheet, shelves in sheets.items():
            write_sheet(out / sheet, list(shelves.values()))
        share = max(shares)
        shown = "".join(f'<img loading="lazy" src="{sheet}">' for sheet in sorted(sheets))
        told = f"{share:.2%}" if old else ""
        title = f'<summary><a href="{new.name}/{of}/">{of}</a> {told}</summary>'
        parts.append((share, f"<details {'open' * (share > 0)}>{title}{shown}</details>"))
    parts.sort(key=lambda part: -part[0])
    page = '<!DOCTYPE html><meta charset="utf-8"><title>Gallery</title>\n'
    (out / "index.html").write_text(page + "\n".join(part for _, part in parts), "utf-8")
    return sum(share > 0 for share, _ in parts)


def main() -> None:
    """Take the pictures, compare them with those of a reference, and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="the built site")
    parser.add_argument("out", type=Path, help="the folder for the gallery")
    parser.add_argument("--only", nargs="*", default=[], help="parts of names: 2-pla street pages/")
    parser.add_argument("--reference", help="another built site, or a commit with pictures")
    told = parser.parse_args()
    describe = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    new = told.out / subprocess.check_output(describe, text=True).strip()
    old = told.out / told.reference if told.reference else None
    if old and (Path(told.reference) / "index.html").is_file():
        old = told.out / "reference"
        shoot(Path(told.reference), old, told.only)
    if old and not (old / "numbers.json").is_file():
        parser.error(f"{told.reference} is no built site, and {old} has no pictures")
    numbers = shoot(told.site, new, told.only)
    shutil.rmtree(told.out / "differs", ignore_errors=True)
    differ = present(told.out, new, old, numbers)
    print(f"{len(numbers)} pictures are in {new}; {differ} figures and pages are new or differ.")
    print(f"Open {told.out / 'index.html'} in a browser.")


if __name__ == "__main__":
    main()
