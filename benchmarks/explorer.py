"""Time the interactive figure in Chromium, and weigh what a page loads for it.

    .venv/bin/python benchmarks/explorer.py

Times are of the work between an event and the picture that follows from it, layout included;
of five rounds, the one that other work on the machine disturbed least.
"""

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "book"), str(ROOT / "book" / "_ext")]

import web  # noqa: E402
from notes_site import explorers  # noqa: E402

from perceptron_notes import polynomial  # noqa: E402
from perceptron_notes.datasets import credit, flip_labels, halfspaces, li_hang, rings, xor  # noqa: E402
from perceptron_notes.figures.explorer import Explorer  # noqa: E402

HOOKS = """
const later = () => new Promise(requestAnimationFrame);
const el = () => document.querySelector('.pn-explorer');
const layout = () => el().querySelector('.plane').getBoundingClientRect().width;
"""
SCRUB = (
    "async () => {"
    + HOOKS
    + """
  const slider = el().querySelector('.bar input');
  const times = [];
  for (let k = 0; k < 400; k++) {
    slider.value = (k * 37) % (+slider.max + 1);
    const start = performance.now();
    slider.dispatchEvent(new Event('input'));
    layout();
    times.push(performance.now() - start);
    if (k % 20 === 0) await later();
  }
  return times;
}"""
)
DRAG = (
    "async () => {"
    + HOOKS
    + """
  const sample = el().querySelector('.samples > *');
  sample.focus();
  sample.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); // pick it up
  const times = [];
  for (let k = 0; k < 60; k++) {
    let start, end;
    requestAnimationFrame(() => (start = performance.now()));
    const key = k % 2 ? 'ArrowUp' : 'ArrowDown';
    sample.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const finished = () => / 1000…$/.test(el().querySelector('.at').textContent);
    const look = () => {
      layout();
      if (finished()) end = performance.now();
      else requestAnimationFrame(look); // the run takes more than one frame
    };
    requestAnimationFrame(look);
    while (!end) await later();
    if (k >= 10) times.push(end - start); // the first ones warm up
  }
  return times;
}"""
)


def page_of(*figures: Explorer) -> str:
    """A page with figures."""
    places = "".join(explorers.opening(figure.get_state()) + "</div>" for figure in figures)
    return (
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Figures</title>"
        '<link rel=stylesheet href="explorer.css"><script defer src="explorer.js"></script>'
        f"<script>performance.mark('begun')</script>{places}</html>"
    )


def noisy(n: int) -> Explorer:
    """`n` samples that no line separates, and 1000 updates on them."""
    rng = np.random.default_rng(1)
    data = flip_labels(halfspaces(n, distance=0.02, rng=rng), n // 20, rng=rng)
    return Explorer(data, panels=["plane", "angle", "errors"], step=9)


def weigh(text: str) -> float:
    """The size of a text in kB after gzip."""
    return len(gzip.compress(text.encode(), 9)) / 1000


def quietest(page: Page, script: str) -> list[float]:
    """The times of the round with the lowest 95 % mark."""
    rounds = [page.evaluate(script) for _ in range(5)]
    return min(rounds, key=lambda times: np.percentile(times, 95))


def line(what: str, value: float, unit: str, limit: float) -> None:
    """Print one result."""
    print(f"{what:46} {value:7.1f} {unit}   (at most {limit:g} {unit})")


def main() -> None:
    """Measure, and print a table."""
    runtime = explorers.runtime()
    own = [runtime[name] for name in ("explorer.js", "explorer.css")]
    line("runtime: host, figure, stylesheet; gzip", sum(map(weigh, own)), "kB", 32)
    rng = np.random.default_rng(2)
    figures = {
        "model": Explorer(credit(rng=rng), "model", w0=[-10, 1, -2]),
        "pla": Explorer(halfspaces(30, distance=0.15, rng=rng)),
        "ledger": Explorer(li_hang(), panels=["plane", "ledger"]),
        "pocket": Explorer(
            flip_labels(credit(rng=rng), 8, rng=rng), "pocket", "at_random", at_most=150
        ),
        "dual": Explorer(rings(200, rng=rng), "dual", kernel=polynomial(2)),
        "xor, 1000 updates": Explorer(xor()),
    }
    for name, figure in figures.items():
        line(
            f"state of a figure: {name}; gzip",
            weigh(explorers.opening(figure.get_state())),
            "kB",
            20,
        )

    with (
        tempfile.TemporaryDirectory() as folder,
        web.served(Path(folder)) as home,
        sync_playwright() as playwright,
    ):
        for name, text in runtime.items():
            Path(folder, name).write_text(text, "utf-8")

        chromium = playwright.chromium.launch(executable_path=web.needed(), args=web.FLAGS)

        def open_page(*shown: Explorer, slower: int = 1) -> Page:
            Path(folder, "page.html").write_text(page_of(*shown), "utf-8")
            page = chromium.new_page()
            session = page.context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            page.goto(f"{home}/page.html")
            page.wait_for_selector(".pn-figure[data-state=live]")
            return page

        page = open_page(noisy(200))
        scrub, drag = (quietest(page, script) for script in (SCRUB, DRAG))
        line("scrub one step, 200 samples; p95", float(np.percentile(scrub, 95)), "ms", 4)
        line("   median", float(np.median(scrub)), "ms", 4)
        line(
            "move a sample, 200 samples, 1000 updates; p95",
            float(np.percentile(drag, 95)),
            "ms",
            16,
        )
        line("   median", float(np.median(drag)), "ms", 16)
        times = []
        for _ in range(5):
            page = open_page(figures["pla"], slower=4)
            times.append(page.evaluate("performance.getEntriesByName('figures')[0].startTime"))
            page.close()
        line("from the click to a figure, CPU ×4 slower", float(np.median(times)), "ms", 1500)
        chromium.close()


if __name__ == "__main__":
    main()
