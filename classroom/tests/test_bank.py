"""The question bank: every self-check of the book, as Moodle and Canvas can take it."""

import json
from xml.etree import ElementTree

import pytest
from masters import ROOT
from perceptron_classroom.grading import command

QUIZ = """\
:::{quiz}
Where is $\\alpha_1 < \\alpha_2$ by {eq}`eq-tally`?

```python
w = w + y * x
```

* ✓ In `a * b`, see [the chapter](2-pla.ipynb).

  Because $a_1 b_1$ and $c_1$.
* Nowhere.

  It *is* somewhere.

  Look again.
* ✓ There.

  Yes.
:::
"""


def make(folder, text):
    """Make a bank of one chapter, and return the exit code."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text}]
    chapter = folder / "ch.ipynb"
    chapter.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}), "utf-8")
    return command.main(["bank", str(chapter), "-o", str(folder)])


def questions(folder):
    return ElementTree.parse(folder / "moodle.xml").findall("question[@type='multichoice']")


def test_every_self_check_of_the_book_is_there_with_one_right_option(tmp_path):
    chapters = sorted(ROOT.glob("book/*.ipynb"))
    assert command.main(["bank", *map(str, chapters), "-o", str(tmp_path)]) == 0
    found = questions(tmp_path)
    assert len(found) == sum(path.read_text("utf-8").count(":{quiz}") for path in chapters) > 50
    for one in found:
        shares = sorted(answer.get("fraction") for answer in one.iter("answer"))
        assert shares == ["0"] * (len(shares) - 1) + ["100"]
        assert all(answer.findtext("feedback/text") for answer in one.iter("answer"))
        assert not any("{" in text.replace(r"\{", "") and "`" in text for text in one.itertext())
    texts = [path.read_text("utf-8") for path in tmp_path.glob("*.txt")]
    assert sum(text.count("\nTitle: ") for text in texts) == len(found)


def test_formulas_code_feedback_and_several_right_options_arrive(tmp_path):
    assert make(tmp_path, QUIZ) == 0
    (one,) = questions(tmp_path)
    asked = one.findtext("questiontext/text")
    assert r"\(\alpha_1 &lt; \alpha_2\) by the chapter's equation?" in asked
    assert '<code class="language-python">w = w + y * x\n</code>' in asked
    assert one.findtext("single") == "false"
    assert [answer.get("fraction") for answer in one.iter("answer")] == ["50", "-50", "50"]
    assert one.findtext("answer/text") == "<p>In <code>a * b</code>, see the chapter.</p>"
    assert one.findtext("answer/feedback/text") == r"<p>Because \(a_1 b_1\) and \(c_1\).</p>"
    text = (tmp_path / "ch.txt").read_text("utf-8")
    wrong = "[ ] Nowhere.\n... It *is* somewhere.\n\n    Look again.\n"
    assert text.endswith(f"{wrong}[*] There.\n... Yes.\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (QUIZ.replace("✓ ", ""), "ch, self-check 1 has no option that begins with ✓"),
        (QUIZ.replace("\n  Yes.\n", ""), "or one without feedback"),
        ("# Words", "no self-check in these notebooks"),
    ],
)
def test_what_is_no_self_check_is_refused(tmp_path, capsys, text, sentence):
    assert make(tmp_path, text) == 1
    assert sentence in capsys.readouterr().err
