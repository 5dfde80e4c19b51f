"""Problem sets on the site: students get the blanked version, and no solution leaks."""

import re
from types import SimpleNamespace

from bs4 import BeautifulSoup
from notes_site import assignments as extension
from test_problem_sets import each_master, hidden, sources

from perceptron_notes.problem_sets import read, student_version


def flat(text):
    return " ".join(text.split())


def readable(file):
    """What a file of the site says, without its markup and line breaks."""
    text = file.read_text("utf-8", errors="replace")
    if file.suffix == ".html":
        text += BeautifulSoup(text, "html.parser").get_text()
    elif file.suffix == ".ipynb":
        text += "\n".join(sources(text, "code") + sources(text, "markdown"))
    return flat(text)


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
def test_no_solution_reaches_the_site(site, path):
    found = list(secrets(path))
    assert len(found) > 8
    assert all(secret in readable(path) for secret in found), "the test would miss a leak"
    own = [site / "_sources/book/assignments" / path.name]
    own += [site / "book/assignments" / f"{path.stem}.html", site / "searchindex.js"]
    others = [file for suffix in ("html", "js", "ipynb") for file in site.rglob(f"*.{suffix}")]
    assert set(own) <= set(others)
    for file in others:
        if file.relative_to(site).parts[0] == "_static" and file.name != "texts.js":
            continue
        text = readable(file)
        assert not [secret for secret in found if secret in text], file
    for file in own:
        assert "SOLUTION" not in readable(file)


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
        f"{q.id} {q.title}" for q in read(path).questions
    ]
    assert soup.select_one("table").get_text().count("\n") > 10
