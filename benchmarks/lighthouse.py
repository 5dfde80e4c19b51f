"""Rate every page with Lighthouse, the chapters beside the same in a stock Jupyter Book.

    make book && .venv/bin/python benchmarks/lighthouse.py [--runs 3] [--only 2-pla …]

Both sites are served from this machine, compressed, and rated by the same Chromium in the same
run, as a telephone (slow network and processor, as Lighthouse simulates them) and as a desktop
computer; each figure is the median of the runs. The stock book has the settings that Jupyter Book
begins with, and its MathJax from npm. What it asks of other hosts (widgets, live code, fonts) is
refused at once and neither waited for nor weighed, which flatters it.

The weight is what the page itself transfers, all of it, pictures too. Blocking hangs on the
processor, which Lighthouse slows down by four whatever it is: `index` is what Lighthouse thinks of
its speed (`benchmarkIndex`), and only figures of one run compare.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "book"), str(ROOT / "book" / "_ext")]

import web  # noqa: E402
from notes_site.npm import commands, install  # noqa: E402

CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TIMES = ("largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
#: What `jupyter-book create` writes, and what these chapters cannot be read without.
STOCK = {
    "title": "The Perceptron",
    "author": "the authors of perceptron_notes",
    "only_build_toc_files": True,
    "execute": {"execute_notebooks": "force", "timeout": 300},
    "parse": {
        "myst_enable_extensions": [
            "amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath",
            "linkify", "substitution", "tasklist",
        ]
    },
    "bibtex_bibfiles": ["book/references.bib"],
    "sphinx": {
        "extra_extensions": ["sphinx_proof", "sphinx_exercise", "sphinx.ext.autodoc"],
        "local_extensions": {"notes_site.quiz": "book/_ext"},
        "config": {
            "html_static_path": ["_mathjax"],
            "mathjax_path": "es5/tex-mml-chtml.js",
            "bibtex_reference_style": "author_year",
        },
    },
}  # fmt: skip


class Compressing(web.Quiet):
    """A server as sites have it: gzip for text, connections that stay open."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        data, kind = path.read_bytes(), self.guess_type(str(path))
        self.send_response(200)
        if re.search("text|javascript|json|svg", kind):
            data = gzip.compress(data, 9)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if "text" in kind else kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def stock_build(folder: Path, modules: Path) -> Path:
    """Build the same chapters as Jupyter Book would by itself; return the site."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(modules / "mathjax/es5", folder / "_mathjax/es5")
    shutil.copyfile(ROOT / "_toc.yml", folder / "_toc.yml")
    (folder / "_config.yml").write_text(yaml.safe_dump(STOCK), "utf-8")
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    site = folder / "_build/html"
    if run.returncode or not (site / "book/index.html").is_file():
        raise SystemExit(f"The stock book could not be built:\n{run.stderr}")
    return site


def rate(modules: Path, address: str, desktop: bool) -> dict[str, float]:
    """What one run of Lighthouse says."""
    node, _ = commands()
    flags = "--headless=new --no-sandbox --disable-gpu --disable-quic --host-resolver-rules="
    flags += "'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'"
    command = [*node, str(modules / "lighthouse/cli/index.js"), address, "--quiet"]
    command += ["--output=json", f"--only-categories={','.join(CATEGORIES)}"]
    command += [f"--chrome-flags={flags}", *(["--preset=desktop"] if desktop else [])]
    run = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "CHROME_PATH": web.needed()}
    )
    if run.returncode:
        raise SystemExit(f"Lighthouse failed on {address}:\n{run.stderr}")
    report = json.loads(run.stdout)
    requests = report["audits"]["network-requests"]["details"]["items"]
    own = [r for r in requests if r["url"].startswith("http://127.0.0.1")]
    return {
        **{name: 100 * report["categories"][name]["score"] for name in CATEGORIES},
        **{name: report["audits"][name]["numericValue"] for name in TIMES},
        "kB": sum(r["transferSize"] for r in own) / 1000,
        "requests": len(own),
        "index": report["environment"]["benchmarkIndex"],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="runs to take the median of")
    parser.add_argument("--only", nargs="*", help="pages, by the names of their files")
    parser.add_argument("--no-stock", action="store_true", help="leave the stock book out")
    options = parser.parse_args()

    modules = install(ROOT / "_build/.lighthouse", Path(__file__).with_suffix(""))
    ours = ROOT / "_build/html"
    if not ours.is_dir():
        raise SystemExit("There is no site yet: run `make book` first.")
    names = sorted(str(p.relative_to(ours / "book"))[:-5] for p in ours.glob("book/**/*.html"))
    names = options.only or names

    print(f"Median of {options.runs}. LCP and TBT in ms, weight compressed.")
    print(f"{'':32}perf  a11y  best   seo    LCP   TBT    CLS     kB  requests  index", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        sites = {"ours": ours}
        if not options.no_stock:
            sites["stock"] = stock_build(Path(scratch), modules)
        for desktop in (False, True):
            for name in names:
                for book, site in sites.items():
                    if book == "stock" and not name[0].isdigit():
                        continue
                    with web.served(site, Compressing) as home:
                        address = f"{home}/book/{name}.html"
                        runs = [rate(modules, address, desktop) for _ in range(options.runs)]
                    median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
                    print(row("desktop" if desktop else "mobile", name, book, median), flush=True)


def row(device: str, name: str, book: str, figures: dict[str, float]) -> str:
    *scores, lcp, tbt, cls, kilobytes, requests, index = figures.values()
    rated = "  ".join(f"{score:4.0f}" for score in scores)
    times = f"{lcp:6.0f} {tbt:5.0f} {cls:6.3f}"
    return (
        f"{device:8}{name:16}{book:8}{rated} {times} {kilobytes:6.0f} {requests:9.0f} {index:6.0f}"
    )


if __name__ == "__main__":
    main()
