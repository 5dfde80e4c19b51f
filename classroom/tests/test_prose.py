"""Where a written answer is found: wherever a student put it, its marker sees it."""

import base64
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import hostile
import pytest
from attacks import MASTER
from masters import MASTERS
from perceptron_classroom.grading import prose
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.opening import attach, held
from perceptron_classroom.grading.pieces import Allowance, pieces
from perceptron_classroom.problem_sets import TEXT_BLANK, read_master, student_version
from school import NOTEBOOK, PROBLEMS

ANSWER = "The sample in the middle\ndecides nothing, as its score is zero."
COMMENT = "# " + ANSWER.replace("\n", "\n# ")
OTHER = "Both boundaries are right, says theirs."
WRITTEN = ("1.6", "1.7")


class Sheets(list):
    """The cells of a notebook, in which one works on a question; the other one may be done."""

    def __init__(self, question, filled):
        super().__init__(json.loads(NOTEBOOK)["cells"])
        self.question, self.other = question, *{*WRITTEN} - {question}
        if filled:
            self[self.blank(self.other)]["source"] = OTHER

    def start(self, question=None):
        """The place of a question's heading."""
        head = f"## {question or self.question} "
        return next(i for i, cell in enumerate(self) if cell["source"].startswith(head))

    def blank(self, question=None):
        """The place of a question's blank: its third cell."""
        return self.start(question) + 2

    def found(self):
        """Everything that the marker of the question sees."""
        answer = prose.answers_of(PROBLEMS, self)[self.question]
        return " ".join(cell["source"] for cell in (*answer.own, *answer.elsewhere))


#: Where a new cell stands, and of what kind it is.
PLACES = {
    "below the blank": lambda n: n.blank() + 1,
    "above the blank": lambda n: n.blank(),
    "below the prompt": lambda n: n.start() + 1,
    "above the heading": lambda n: n.start(),
    "below the other's heading": lambda n: n.start(n.other) + 1,
    "among the answers in code": lambda n: n.start("1.4") + 2,
    "at the end": len,
    "at the top": lambda n: 0,
}
KINDS = {
    "words": lambda number: hostile.words(ANSWER),
    "words below a heading": lambda number: hostile.words(
        f"# My answers\n\n## {number}\n\n{ANSWER}"
    ),
    "words with the number": lambda number: hostile.words(f"**{number}:** {ANSWER}"),
    "comments": lambda number: hostile.code(COMMENT),
    "a text in code": lambda number: hostile.code(f'print("""{ANSWER}""")'),
    "words as code": lambda number: hostile.code(ANSWER),
    "raw": lambda number: {"cell_type": "raw", "metadata": {}, "source": ANSWER},
}
#: The cell that is changed, by its place, and its new text.
CHANGES = {
    "the blank": (lambda n: n.blank(), "{new}"),
    "below the words of the blank": (lambda n: n.blank(), "{old}\n\n{new}"),
    "behind the words of the blank": (lambda n: n.blank(), "{old} {new}"),
    "at the end of the prompt": (lambda n: n.start(), "{old}\n\n{new}"),
    "right behind the prompt": (lambda n: n.start(), "{old} {new}"),
    "in the first cell": (lambda n: 0, "{old}\n\n{new}"),
    "in the given cell": (lambda n: n.blank() - 1, "{old}\n{comment}"),
    "in the cell above the heading": (lambda n: n.start() - 1, "{old}\n{comment}"),
    "in an answer in code": (lambda n: n.start("1.5") + 1, "{old}\n# {number}: {comment}"),
    "in the other's blank": (lambda n: n.blank(n.other), "{new}"),
    "in one cell with the other's": (lambda n: n.blank(n.other), "On 1.7.\n\n{number}: {new}"),
    "in the other's prompt": (lambda n: n.start(n.other), "{old}\n\n{new}"),
}


@pytest.mark.parametrize("filled", [False, True], ids=["", "other done"])
@pytest.mark.parametrize("question", WRITTEN)
@pytest.mark.parametrize("place", [*product(PLACES, KINDS), *CHANGES], ids=str)
def test_an_answer_is_shown_with_its_question_wherever_it_stands(place, question, filled):
    notebook = Sheets(question, filled)
    if place in CHANGES:
        where, text = CHANGES[place]
        cell = notebook[where(notebook)]
        parts = {"new": ANSWER, "comment": COMMENT, "number": question}
        cell["source"] = text.format(old=cell["source"], **parts)
    else:
        where, kind = place
        notebook.insert(PLACES[where](notebook), KINDS[kind](question))
    assert all(line in notebook.found() for line in ANSWER.split("\n"))


def heading(mark):
    """An answer with a sub-heading that begins with the number of a question."""
    return lambda own, other, coded: hostile.words(
        "FIRST\n\n" + mark.format(own=own, other=other, coded=coded) + "\n\nSECOND"
    )


PICTURE, GIF = hostile.picture(), hostile.gif(9, 9)
#: What is new in a notebook, with "FIRST" and "SECOND" in it.
CONTENTS = {
    "words": lambda *_: hostile.words("FIRST\n\nSECOND"),
    "comments": lambda *_: hostile.code("# FIRST\nf = lambda: 1  # SECOND"),
    "a heading in code": heading("### {coded} against 1.5"),
    "a small heading": heading("#### {coded}: why"),
    "a large heading": heading("## {coded} times the room"),
    "the other's heading": heading("### {other} compared"),
    "its own heading": heading("### {own} once more"),
    "several": heading("## {coded} and\n## {other} or\n# {own}"),
    "an attachment": lambda *_: hostile.words(
        "FIRST ![SECOND](attachment:a.gif)", attachments={"a.gif": {"image/gif": GIF}}
    ),
    "a picture in a table": lambda *_: hostile.words(
        f'FIRST\n\n<table><tr><td><img src="data:image/png;base64,{PICTURE}"></table> SECOND'
    ),
    "a picture in the text": lambda *_: hostile.words(
        f"FIRST ![SECOND](data:image/webp;base64,{hostile.webp(1, 1)})"
    ),
    "a file beside": lambda *_: hostile.words("FIRST SECOND ![](my%20plot.png)"),
    "no file": lambda *_: hostile.words("FIRST SECOND ![plot](gone.png)"),
    "a plot": lambda *_: hostile.code("# FIRST SECOND", hostile.shown(image_png=PICTURE)),
    "a photo": lambda *_: hostile.code(
        "# FIRST SECOND", hostile.shown(image_heic="AAAA", text_plain="<Image>")
    ),
    "a picture in HTML": lambda *_: hostile.code(
        "# FIRST SECOND",
        hostile.shown(text_html=f'<b><img src="data:image/png;base64,{PICTURE}"></b>'),
    ),
}
WHERE = ["blank", "below", "coded", "prompt", "code's prompt", "top", "end", "merged"]


def placed(problems, cells, what, where, question):
    """The cells with something new, and the question under whose heading it stands."""
    other = next(each for each in prose.written(problems) if each != question)
    coded = problems.questions[2].id
    new = CONTENTS[what](question, other, coded)
    start = {
        number: next(i for i, c in enumerate(cells) if c["source"].startswith(f"## {number} "))
        for number in (question, other, coded)
    }
    blank = start[question] + next(
        i
        for i, cell in enumerate(cells[start[question] :])
        if cell["source"] in (TEXT_BLANK, OTHER)
    )
    below, at = {
        "blank": (question, slice(blank, blank + 1)),
        "below": (question, slice(blank + 1, blank + 1)),
        "coded": (coded, slice(start[coded] + 2, start[coded] + 2)),
        "prompt": (question, slice(start[question], start[question] + 1)),
        "code's prompt": (coded, slice(start[coded], start[coded] + 1)),
        "top": ("", slice(0, 0)),
        "end": (prose.written(problems)[-1], slice(len(cells), len(cells))),
        "merged": (question, slice(blank, blank + 2)),
    }[where]
    if where in ("prompt", "code's prompt", "merged"):
        if new["cell_type"] == "code":
            return None
        old = [cell["source"] for cell in cells[at] if cell["source"] != TEXT_BLANK]
        texts = [new["source"], *old] if where == "merged" else [*old, new["source"]]
        new["source"] = "\n\n".join(texts)
    made = [*cells[: at.start], new, *cells[at.stop :]]
    beside = {"my plot.png": base64.b64decode(PICTURE)}
    return below, list(attach(held(json.dumps({"cells": made}).encode())["cells"], beside.get))


def is_shown(cells_pieces):
    """How many pictures are shown, at any depth."""
    return sum(
        (piece.kind == "picture") + str(piece.text).count("<img") + is_shown(piece.inside)
        for piece in cells_pieces
    )


def lost(problems, below, cells):
    """What is wrong with where the new things of a notebook are shown."""
    answers, allowance = prose.answers_of(problems, cells), Allowance()
    shown = sum(is_shown(pieces(answer, allowance)) for answer in answers.values())
    own = {name: str([cell["source"] for cell in each.own]) for name, each in answers.items()}
    rest = str([cell["source"] for each in answers.values() for cell in each.elsewhere])
    for word in ("FIRST", "SECOND"):
        if word not in rest + str(own):
            yield f"{word} is shown to nobody"
        yield from (f"{word} is in {q}" for q in own if word in own[q] and q != below)
    pictured = re.search(r"image/|\.png|attachment:", str(cells))
    if pictured and not shown and not any("picture" in each for each in allowance.missing):
        yield "a picture is lost"
    if "gone.png" not in str(cells) and any("is not in" in each for each in allowance.missing):
        yield "a picture is said to be gone"
    for remark in prose.remarks(problems, cells, answers):
        there = TEXT_BLANK in [cell["source"] for cell in cells]
        if not answers[remark[:3]].open or ("its blank is empty" in remark and not there):
            yield f"false: {remark}"


@pytest.mark.parametrize("filled", [False, True], ids=["", "both done"])
@pytest.mark.parametrize("what", CONTENTS)
@pytest.mark.parametrize("master", MASTERS, ids=lambda path: path.stem)
def test_all_that_is_new_is_shown_where_it_stands_or_named(master, what, filled):
    problems, wrong = read_master(master), {}
    cells = json.loads(student_version(master))["cells"]
    for cell in cells if filled else ():
        if cell["source"] == TEXT_BLANK:
            cell["source"] = OTHER
    for where, question in product(WHERE, prose.written(problems)):
        made = placed(problems, cells, what, where, question)
        if made and (found := [*lost(problems, *made)]):
            wrong[where, question] = found
    assert wrong == {}


def test_words_that_no_question_asks_for_are_named():
    coded = replace(PROBLEMS, questions=PROBLEMS.questions[:5])
    cells = [*Sheets("1.6", filled=False), hostile.words("Please read this.")]
    assert "“Please read this.”" in "".join(prose.remarks(coded, cells, {}))


def test_what_more_than_half_of_a_class_has_is_the_sheets_and_still_shown(tmp_path):
    german = Sheets("1.6", filled=False)
    german[german.start()]["source"] = "## 1.6 Die Tabelle\n\nBis Freitag, bitte."
    for number in range(5):
        cells = [*german, hostile.words(f"Text {min(number, 3)}. ![](attachment:image.png)")]
        (tmp_path / f"{number}.ipynb").write_text(json.dumps({"cells": cells}))
    class_ = [Submission(path.stem, (path,), path.name) for path in tmp_path.iterdir()]
    for students, folded in ((class_[:4], False), (class_, True)):
        found = prose.answers_of(prose.in_class(PROBLEMS, students), german)
        shared = Counter(word for cell in found["1.6"].shared for word in cell["source"].split())
        assert bool(shared["Freitag,"]) == folded
        assert folded != any("Freitag" in cell["source"] for cell in found["1.6"].own)
        assert bool([*prose.remarks(PROBLEMS, german, found)]) != folded


def taken_apart(n):
    at, text = n.start(), n[n.start()]["source"]
    middle = text.rindex("\n\n")
    n[at : at + 1] = map(hostile.words, (text[:middle], ANSWER, text[middle:]))


def in_one_cell(n):
    texts = [cell["source"] for cell in n if cell["cell_type"] == "markdown"]
    texts.insert(texts.index(n[n.start()]["source"]) + 1, ANSWER)
    n[:] = [hostile.words("\n\n".join(texts))]


def moved(n):
    at, end = n.start(), n.blank() + 1
    n[n.blank()]["source"] = ANSWER
    n[:] = [*n[:at], *n[end:], *n[at:end]]


def without_the_prompt(n):
    n[n.blank()]["source"] = ANSWER
    del n[n.start()]


def another_heading(n):
    n[n.blank()]["source"] = ANSWER
    n[n.start()]["source"] = n[n.start()]["source"].replace("## ", "### Question ")


def a_list_of_the_prompt(n):
    n[n.start()]["source"] = n[n.start()]["source"].replace("\n\n", f"\n\n{ANSWER}\n\n", 2)


@pytest.mark.parametrize("question", WRITTEN)
@pytest.mark.parametrize(
    "change",
    [taken_apart, in_one_cell, moved, without_the_prompt, another_heading, a_list_of_the_prompt],
)
def test_an_answer_is_shown_whatever_was_done_to_the_cells(change, question):
    notebook = Sheets(question, filled=True)
    change(notebook)
    assert all(line in notebook.found() for line in ANSWER.split("\n"))


def test_what_was_handed_out_is_no_answer():
    found = prose.answers_of(PROBLEMS, json.loads(NOTEBOOK)["cells"])
    assert found == dict.fromkeys(WRITTEN, prose.Answer([], [], blank=True))
    assert list(prose.remarks(PROBLEMS, [], found)) == []
    assert prose.answers_of(PROBLEMS, []) == dict.fromkeys(WRITTEN, prose.Answer([], []))


def test_what_a_teacher_changed_in_a_sheet_is_no_answer(tmp_path):
    master = Path(shutil.copy(MASTER, tmp_path))
    changed = json.loads(NOTEBOOK)
    for cell in changed["cells"]:
        if cell["source"].startswith("## 1.6"):
            cell["source"] += "\n\nBis Freitag, bitte."
    handed_out = Sheets("1.6", filled=False)
    handed_out[:] = changed["cells"]
    assert "Freitag" in handed_out.found()
    sheet = tmp_path / "sheets" / "de" / master.name
    sheet.parent.mkdir(parents=True)
    sheet.write_text(json.dumps(changed), "utf-8")
    assert not any(a.own for a in prose.answers_of(read_master(master), handed_out).values())
    sheet.write_text("no notebook", "utf-8")
    with pytest.raises(ValueError, match=r"sheets.de.ps1\.ipynb: not a notebook"):
        read_master(master)


def test_of_a_changed_prompt_only_what_is_new_is_shown():
    notebook = Sheets("1.6", filled=True)
    a_list_of_the_prompt(notebook)
    found = prose.answers_of(PROBLEMS, notebook)
    assert [cell["source"] for cell in found["1.6"].own] == [f"{ANSWER}\n\n{ANSWER}"]
    assert [cell["source"] for cell in found["1.7"].own] == [OTHER]
    assert found["1.7"].elsewhere == []


def test_an_empty_blank_near_something_new_has_a_remark():
    notebook = Sheets("1.6", filled=False)
    notebook[notebook.blank()]["source"] = ANSWER

    def remarks():
        return [*prose.remarks(PROBLEMS, notebook, prose.answers_of(PROBLEMS, notebook))]

    assert [line[:4] for line in remarks()] == ["1.7:"]
    notebook[notebook.blank()]["source"] = TEXT_BLANK
    notebook.append(hostile.words(ANSWER))
    assert len(remarks()) == 2


def test_a_fingerprint_changes_with_what_is_read_and_with_nothing_else():
    def mark(*cells):
        return prose.fingerprint(prose.Answer([*cells], []))

    cell = hostile.code("f()", hostile.printed("1"))
    assert mark({**cell, "execution_count": 7, "metadata": {"x": 1}}) == mark(cell)
    others = {**cell, "source": "g()"}, {**cell, "outputs": [hostile.printed("2")]}
    assert mark(cell) not in [mark(other) for other in others] + [mark(cell, hostile.words("more"))]
    assert mark(hostile.words("\ud800"))


def test_the_marker_is_shown_what_was_asked():
    assert PROBLEMS.prompt("1.6").startswith("*6 points")
    assert "X4 = augment" in PROBLEMS.prompt("1.6")
    assert "1.7" not in PROBLEMS.prompt("1.6")
