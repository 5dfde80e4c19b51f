"""Problem sets on the site: students get the blanked version, and no solution leaks."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from masters import MASTERS, each_master, hidden, sources
from notes_site import assignments as extension
from perceptron_classroom.problem_sets import read_master, student_version


def flat(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def readable(site, pages):
    """What each file of the site that has words says, without its markup and line breaks."""
    told = {}
    for file in [file for suffix in ("html", "js", "ipynb") for file in site.rglob(f"*.{suffix}")]:
        name, text = file.relative_to(site), file.read_text("utf-8", errors="replace")
        if name.parts[0] == "_static" and name.name != "texts.js":
            continue
        if name.as_posix() in pages:
            text += pages[name.as_posix()].get_text()
        elif file.suffix == ".ipynb":
            text += "\n".join(sources(text, "code") + sources(text, "markdown"))
        told[name.as_posix()] = flat(text)
    return told


def secrets(path):
    """Each solution in code as a whole, each long sentence of an answer, each line of a rubric.

    Formulas look different on a page, and a single line of code is in the chapters too.
    """
    for lines in hidden(path):
        if any(re.match(r"\s*(return|for|w, |X, |rng = )", line) for line in lines):
            if len([line for line in lines if line.strip()]) > 1:
                yield flat("\n".join(lines))
        else:
            yield from (flat(line) for line in lines if len(line) > 40 and "$" not in line)


@each_master
def test_no_solution_reaches_the_site(readable, path):
    found, text = list(secrets(path)), path.read_text("utf-8")
    master = flat(text + "\n".join(sources(text, "code") + sources(text, "markdown")))
    assert len(found) > 8
    assert all(secret in master for secret in found), "the test would miss a leak"
    own = [f"_sources/book/assignments/{path.name}", f"book/assignments/{path.stem}.html"]
    assert {*own, "_static/texts.js"} <= {*readable}
    for name, text in readable.items():
        assert not [secret for secret in found if secret in text], name
    for name in own:
        assert "SOLUTION" not in readable[name]


def test_no_button_of_a_page_leads_to_the_master():
    app = SimpleNamespace(config=SimpleNamespace(assignments_masters="book/assignments/*"))

    def buttons(page):
        launch = [{"label": "Colab", "url": f"https://colab.example/main/{page}.ipynb"}]
        source = [{"url": "https://example.org"}, {"url": f"https://example.org/{page}.ipynb"}]
        context = {"header_buttons": [{"buttons": launch}, {"buttons": source}, {"label": "dark"}]}
        extension.close(app, page, "", context, None)
        return context["header_buttons"]

    kept = [{"buttons": [{"url": "https://example.org"}]}, {"label": "dark"}]
    assert buttons("book/assignments/ps1") == kept
    assert len(buttons("book/1-model")) == 3


@each_master
def test_the_page_links_to_the_students_version(site, path):
    page = site / "book" / "assignments" / f"{path.stem}.html"
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    links = {a["href"] for a in soup.select("a[href$='.ipynb']")}
    assert any("problem-set" in a.get("class", []) for a in soup.select("a[href$='.ipynb']"))
    for link in links:
        assert (page.parent / link).resolve().read_text("utf-8") == student_version(path)
    assert [h.get_text().rstrip("#").replace("’", "'") for h in soup.select("article h2")] == [
        f"{q.id} {q.title}" for q in read_master(path).questions
    ]
    assert soup.select_one("table").get_text().count("\n") > 10
    for question in read_master(path).questions:  # what it is good for stands once
        assert soup.article.get_text().count(question.outcome) == 1
    folded = [one.summary.get_text() for one in soup.select("details.hide")]
    assert folded
    assert {name for name in folded if "code" in name.lower()} == set()  # a cell to fill


def test_the_plan_for_teachers_has_the_sets_own_minutes(pages):
    weeks = pages["book/teaching.html"].select_one("article table").select("tbody tr")
    assert len(weeks) == 5
    minutes = {path.stem: [one.minutes for one in read_master(path).questions] for path in MASTERS}
    parts = [["ps1"], ["ps2", "ps3"], ["ps4"]]
    expected = [[sum(minutes[name]) for name in names] for names in parts]
    last = minutes["ps5"]
    expected += [[sum(last[:3]) + last[6]], [sum(last[3:6])]]  # 5.7 is about chapter 6
    said = [[int(n) for n in re.findall(r"\d+", row.select("td")[-1].get_text())] for row in weeks]
    assert said == expected


def test_the_syllabus_that_is_downloaded_has_the_weeks_and_leads_nowhere(site, pages):
    link = pages["book/teaching/syllabus.html"].select_one("article a[download]")["href"]
    text = (site / "book" / "teaching" / link).resolve().read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 6
    for name in ("book/teaching.html", "book/teaching/syllabus.html"):
        table = pages[name].select_one("article table").select("tr")
        assert [[cell.get_text() for cell in row.select("th, td")] for row in table] == rows
    assert not re.search(r"\]\(|<!--|\{\w+\}", text)
