"""The report at the end of a build: how heavy each page is, and how long."""

import gzip
import random

import pytest
import report

PAGE = """<!DOCTYPE html><html><head><link rel="stylesheet" href="../_static/all.css?v=1"></head>
<body><nav>Not of the text</nav><article><h1>Four words of prose</h1>
<p>Then <span class="katex">a <math>b</math> c</span>, and <code>x</code>-values.</p>
<pre>no prose</pre><div class="cell_output"><p>nor this</p></div><svg class="figure">{drawn}</svg>
<section id="exercises"><h2>Exercises</h2><p>Do it.</p></section><section>Sources</section>
</article><script src="../_static/all.js"></script>
<script src="../_static/figure.js"></script></body></html>"""


def site_of(folder, **drawn):
    """A small site; what its pictures hold cannot be compressed."""
    (folder / "_static").mkdir()
    for name in ("all.css", "all.js", "figure.js"):
        (folder / "_static" / name).write_bytes(random.Random(name).randbytes(1000))
    (folder / "book").mkdir()
    for name, picture in drawn.items():
        (folder / "book" / f"{name}.html").write_text(PAGE.replace("{drawn}", picture), "utf-8")
    (folder / "index.html").write_text("<p>It leads on.</p>", "utf-8")
    return folder


def test_a_page_is_weighed_with_what_it_loads_and_read_to_its_exercises(tmp_path):
    picture = random.Random(1).randbytes(50_000).hex()
    lines = list(report.report(site_of(tmp_path, c10="", c9=picture)))
    assert [line.page for line in lines] == ["book/c9", "book/c10"]  # and none for the redirect
    html = PAGE.replace('<svg class="figure">{drawn}</svg>', "").encode()
    weight = 3 * len(gzip.compress(random.Random(2).randbytes(1000))) + len(gzip.compress(html))
    assert [round(line.kilobytes * 1000) for line in lines] == [weight] * 2
    assert [line.words for line in lines] == [4 + 5] * 2  # Then, a formula, and, x, -values


@pytest.mark.parametrize(
    ("page", "weight", "words", "said"),
    [
        ("book/1-model", 300, 5000, ""),
        ("book/1-model", 301, 5000, "over 300 kB"),
        ("book/1-model", 300, 5001, "over 5,000 words"),
        ("book/1-model", 301, 5001, "over 300 kB, over 5,000 words"),
        ("book/api", 300, 5001, ""),  # nobody reads it from its beginning to its end
    ],
)
def test_a_page_over_a_budget_says_so(page, weight, words, said):
    line = str(report.Line(page, weight, words))
    assert line.partition(f"{words:,}")[2].strip() == said
