"""Where a written answer is found: wherever a student put it, its marker sees it."""

import copy
import json

import attacks
import hostile
import pytest
from perceptron_classroom.grading import prose
from perceptron_classroom.problem_sets import CODE_BLANK, TEXT_BLANK
from school import NOTEBOOK, PROBLEMS

ANSWER = "The sample in the middle\ndecides nothing, as its score is zero."
OTHER = "Both boundaries are right, says theirs."
WRITTEN = ("1.6", "1.7")


class Sheets(list):
    """The cells of a notebook, with what one does to them while working on a question."""

    def __init__(self, question, filled):
        super().__init__(copy.deepcopy(json.loads(NOTEBOOK)["cells"]))
        self.question, self.other = question, *{*WRITTEN} - {question}
        if filled:
            self.blank(self.other)["source"] = OTHER

    def starts(self, question):
        """The place of a question's heading."""
        return next(i for i, c in enumerate(self) if c["source"].startswith(f"## {question} "))

    def prompt(self):
        return self[self.starts(self.question)]

    def place(self, question=None):
        """The place of a question's blank."""
        start = self.starts(question or self.question)
        return next(i for i, c in enumerate(self) if c["source"] == TEXT_BLANK and i > start)

    def blank(self, question=None):
        return self[self.place(question)]

    def given(self):
        """The cell of code of the question."""
        return self[self.place() - 1]

    def add(self, place, text, make=hostile.words):
        self.insert(place, make(text))

    def write(self, cell, text):
        cell["source"] = text


def comment(text):
    return "# " + text.replace("\n", "\n# ")


def raw(text):
    return {"cell_type": "raw", "metadata": {}, "source": text}


def split_prompt(n):
    at, text = n.starts(n.question), n.prompt()["source"]
    middle = text.rindex("\n\n")
    n[at : at + 1] = map(hostile.words, (text[:middle], ANSWER, text[middle:]))


def merged(n):
    at, end = n.starts(n.question), n.place() + 1
    n[at:end] = [hostile.words(n.prompt()["source"] + "\n\n" + ANSWER)]


def all_in_one(n):
    texts = [c["source"] for c in n if c["cell_type"] == "markdown"]
    texts.insert(texts.index(n.prompt()["source"]) + 1, ANSWER)
    n[:] = [hostile.words("\n\n".join(texts))]


def moved_to_the_end(n):
    at, end = n.starts(n.question), n.place() + 1
    n.blank()["source"] = ANSWER
    n[:] = [*n[:at], *n[end:], *n[at:end]]


def in_two_parts(n):
    first, second = ANSWER.split("\n")
    n.blank()["source"] = first
    n.add(n.starts("1.7") if n.question == "1.6" else len(n), second)


#: What a student does, and how that is said.
PLACES = {
    "in the blank": lambda n: n.write(n.blank(), ANSWER),
    "below the words of the blank": lambda n: n.write(n.blank(), f"{TEXT_BLANK}\n\n{ANSWER}"),
    "behind the words of the blank": lambda n: n.write(n.blank(), f"{TEXT_BLANK} {ANSWER}"),
    "in a cell below the blank": lambda n: n.add(n.place() + 1, ANSWER),
    "in a cell above the blank": lambda n: n.add(n.place(), ANSWER),
    "in a cell below the prompt": lambda n: n.add(n.starts(n.question) + 1, ANSWER),
    "at the end of the prompt": lambda n: n.write(
        n.prompt(), n.prompt()["source"] + "\n\n" + ANSWER
    ),
    "right behind the prompt": lambda n: n.write(n.prompt(), n.prompt()["source"] + " " + ANSWER),
    "within the prompt": lambda n: n.write(
        n.prompt(), n.prompt()["source"].replace("\n\n", f"\n\n{ANSWER}\n\n", 2)
    ),
    "in a prompt taken apart": split_prompt,
    "in one cell with the prompt": merged,
    "as comments": lambda n: n.add(n.place(), comment(ANSWER), hostile.code),
    "as a text in code": lambda n: n.add(n.place(), f'"""{ANSWER}"""', hostile.code),
    "printed": lambda n: n.add(n.place(), f'print("""{ANSWER}""")', hostile.code),
    "as if words were code": lambda n: n.add(n.place(), ANSWER, hostile.code),
    "in a raw cell": lambda n: n.add(n.place(), ANSWER, raw),
    "as comments in the given cell": lambda n: n.write(
        n.given(), n.given()["source"] + "\n" + comment(ANSWER)
    ),
    "in a blank made a cell of code": lambda n: n.__setitem__(n.place(), hostile.code(ANSWER)),
    "in the place of the deleted blank": lambda n: n.__setitem__(n.place(), hostile.words(ANSWER)),
    "without the prompt": lambda n: [n.write(n.blank(), ANSWER), n.remove(n.prompt())],
    "below a heading of one's own": lambda n: n.add(
        n.place() + 1, f"# My answer to question {n.question}\n\n{ANSWER}"
    ),
    "below another heading": lambda n: [
        n.write(n.blank(), ANSWER),
        n.write(n.prompt(), n.prompt()["source"].replace("## ", "### Question ")),
    ],
    "at the end": lambda n: n.append(hostile.words(ANSWER)),
    "at the end, in two cells": lambda n: n.extend(map(hostile.words, ANSWER.split("\n"))),
    "at the end, with its number": lambda n: n.append(hostile.words(f"**{n.question}:** {ANSWER}")),
    "at the end, below a heading": lambda n: n.append(
        hostile.words(f"# Answers\n\n## {n.question}\n\n{ANSWER}")
    ),
    "at the top": lambda n: n.insert(0, hostile.words(ANSWER)),
    "in the first cell": lambda n: n.write(n[0], n[0]["source"] + "\n\n" + ANSWER),
    "above its heading": lambda n: n.add(n.starts(n.question), ANSWER),
    "above its heading, as comments": lambda n: n.write(
        n[n.starts(n.question) - 1], f"{n[n.starts(n.question) - 1]['source']}\n{comment(ANSWER)}"
    ),
    "among the answers in code": lambda n: n.add(n.starts("1.4") + 2, ANSWER),
    "behind an answer in code, with its number": lambda n: n.write(
        n[n.starts("1.5") + 1],
        f"{n[n.starts('1.5') + 1]['source']}\n# {n.question}: {comment(ANSWER)}",
    ),
    "in the other's blank": lambda n: n.write(n[n.starts(n.other) + 2], ANSWER),
    "in one cell with the other's": lambda n: n.write(
        n[n.starts(n.other) + 2], f"{n.other}: {OTHER}\n\n{n.question}: {ANSWER}"
    ),
    "below the other's heading": lambda n: n.add(n.starts(n.other) + 1, ANSWER),
    "in the other's prompt": lambda n: n.write(
        n[n.starts(n.other)], n[n.starts(n.other)]["source"] + "\n\n" + ANSWER
    ),
    "with the prompt once more": lambda n: n.add(
        n.place() + 1, n.prompt()["source"] + "\n\n" + ANSWER
    ),
    "in the question moved to the end": moved_to_the_end,
    "in one cell for all": all_in_one,
    "in two places": in_two_parts,
    "with other white space": lambda n: [
        *(n.write(c, c["source"].replace("\n\n", "\n \n") + "\n") for c in list(n)),
        n.add(len(n) - 1, ANSWER),
    ],
}


@pytest.mark.parametrize("filled", [False, True], ids=["", "other filled"])
@pytest.mark.parametrize("question", WRITTEN)
@pytest.mark.parametrize("place", PLACES)
def test_an_answer_is_shown_with_its_question_wherever_it_stands(place, question, filled):
    notebook = Sheets(question, filled)
    PLACES[place](notebook)
    found = prose.answers_of(PROBLEMS, notebook)[question]
    shown = " ".join(cell["source"] for cell in (*found.own, *found.elsewhere))
    assert all(line in shown for line in ANSWER.split("\n"))


@pytest.mark.parametrize("solved", [False, True])
def test_what_was_handed_out_is_no_answer(solved):
    notebook = json.loads(NOTEBOOK)["cells"]
    for cell in notebook if solved else ():
        cell["source"] = cell["source"].replace(CODE_BLANK, "return 1")
    notebook = [cell for cell in notebook if "return 1" not in cell["source"] or "def " in cell]
    found = prose.answers_of(PROBLEMS, notebook)
    assert found == dict.fromkeys(WRITTEN, prose.Answer([], []))
    assert list(prose.untouched(found)) == []
    assert prose.answers_of(PROBLEMS, []) == found


def test_of_a_changed_prompt_only_what_is_new_is_shown():
    notebook = Sheets("1.6", filled=True)
    PLACES["within the prompt"](notebook)
    found = prose.answers_of(PROBLEMS, notebook)
    assert [cell["source"] for cell in found["1.6"].own] == [f"{ANSWER}\n\n{ANSWER}"]
    assert [cell["source"] for cell in found["1.7"].own] == [OTHER]
    assert found["1.7"].elsewhere == []


def test_an_empty_blank_near_something_new_has_a_remark():
    def remarks(question, *places):
        notebook = Sheets(question, filled=False)
        for place in places:
            PLACES[place](notebook)
        return [line[:4] for line in prose.untouched(prose.answers_of(PROBLEMS, notebook))]

    assert remarks("1.6", "at the end") == ["1.6:", "1.7:"]
    assert remarks("1.6", "in the blank") == ["1.7:"]
    assert remarks("1.6") == []


def test_a_fingerprint_changes_with_what_is_read_and_with_nothing_else():
    def mark(*cells):
        return prose.fingerprint(prose.Answer([*cells], []))

    cell = hostile.code("f()", hostile.printed("1"))
    assert mark({**cell, "execution_count": 7, "metadata": {"x": 1}}) == mark(cell)
    others = {**cell, "source": "g()"}, {**cell, "outputs": [hostile.printed("2")]}
    assert mark(cell) not in [mark(other) for other in others] + [mark(cell, hostile.words("more"))]
    assert mark(hostile.words("\ud800"))


def test_the_page_of_a_set_asks_what_the_marker_reads():
    assert PROBLEMS.prompt("1.6").startswith("*6 points")
    assert "X4 = augment" in PROBLEMS.prompt("1.6")
    assert "1.7" not in PROBLEMS.prompt("1.6")
    assert attacks.MASTER.stem == PROBLEMS.name
