"""The sentences of a report in their table, and whole reports in Chinese."""

import ast
import html
import pickle
import re
from pathlib import Path
from string import Formatter

import numpy as np
import pandas as pd
import pytest
from refusals import refuses

from perceptron_notes import diagnosis
from perceptron_notes.__main__ import main
from perceptron_notes._kit.terminal import columns
from perceptron_notes.datasets import xor
from perceptron_notes.diagnosis import EXAMPLE, diagnose
from perceptron_notes.diagnosis.in_html import html_page
from perceptron_notes.diagnosis.languages import LANGUAGES

EN, ZH = LANGUAGES["en"], LANGUAGES["zh"]
#: Names of methods, one term beside its translation, and sentences that are not yet translated.
NAMES = " ".join(["Firth Wald odds ratio", *(text for key, text in EN.items() if ZH[key] == text)])
RNG = np.random.default_rng(0)
NOISY = RNG.normal(size=(60, 3)).round(2)
DRAWN = NOISY[:, 0] + RNG.normal(size=60) / 2 > 0
WHOLE = np.arange(30)[:, None]
LEVELS = pd.DataFrame(
    {
        "年龄": [31, 42, 55, 60, 38, None, 47, 50],
        "sex": ["f", "m", "m", "f", "f", "m", None, "m"],
        "ward": pd.Categorical([1, 2, 1, 2, 1, 2, 1, 2]),
        "typo": ["1", "2", "3", "4", "5", "6", "7", "12O4"],
        "mark": ["1.5", "2,5", *["1.5"] * 6],
        "seen": pd.date_range("2020", periods=8),
        "rare": [None] * 5 + [1.0, 2.0, 3.0],
        "huge": [1e200] + [1.0] * 7,
        "list": [[1, 2]] * 8,
        "n": [1, 1, 1, 0, 1, 1, 1, 2],
    }
)
SHAPES = {
    "a file": (EXAMPLE, "HG"),
    "overlap": (xor(),),
    "no time": (NOISY, DRAWN, {"seconds": 1e-9}),
    "two rows": ([[1], [2]], [0, 1]),
    "levels, gaps, weights": (LEVELS, pd.Series([*"abababb", None]), {"weights": "n"}),
    "rows that contradict": ([[1], [1], [1], [2], [2], [5]], [0, 0, 1, 1, 1, 1]),
    "collinear, constant": (np.hstack([WHOLE, 2 * WHOLE + 1, 0 * WHOLE]), DRAWN[:30]),
    "three classes": (NOISY, (10 * NOISY[:, 0]).astype(int) % 3),
    "far more columns than rows": (RNG.normal(size=(9, 600)).round(2), [0, 1, 1] * 3),
    "leaks": (WHOLE * np.arange(1, 14), WHOLE[:, 0] > 15),
    "an accident": (NOISY[:, :2].repeat(3, 1) * RNG.random((60, 6)), np.arange(60) == 7),
    "nearly collinear": (np.c_[NOISY, NOISY[:, 0] + 1e-15 * DRAWN], NOISY[:, 1] > NOISY[:, 2]),
    "no intercept": ([[0], [0]], [0, 1], {"intercept": False}),
    "units, codes": (np.r_[NOISY, [[-999, 1, 1]] * 2] * [1, 999, 1], [*DRAWN, True, False]),
    "spelt alike": (NOISY, np.where(DRAWN, "yes", "Yes ")),
}


def slots(sentence):
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def test_each_sentence_is_in_the_table_once_used_and_with_the_same_slots():
    files = Path(diagnosis.__file__).parent.glob("*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    assert not {*EN} - texts - {f"{text}s" for text in texts}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    firsts = [c.args[0] for c in calls if getattr(c.func, "id", "") in ("say", "Section")]
    assert {one.value for one in firsts if isinstance(one, ast.Constant)} <= {*EN}
    for key, sentence in EN.items():
        assert slots(sentence) == slots(ZH[key]), key


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chinese_report_has_english_in_names_alone(shape):
    *data, more = SHAPES[shape] if isinstance(SHAPES[shape][-1], dict) else (*SHAPES[shape], {})
    found = diagnose(*data, **{"seconds": 2, **more}, language="zh")
    table, said, page = found.table, str(found), html_page(found, "表")
    assert '<html lang="zh-CN">' in page
    shown = html.unescape(re.sub("(?s)<style>.*?</style>|<[^>]*>", " ", page))
    given = [*table.names, *table.called, *LEVELS, *LEVELS.typo, table.target, NAMES]
    known = {*re.findall("[A-Za-z]{2,}", " ".join(map(str, given)))} | {"Intercept", "object"}
    for text in said, shown:
        words = re.findall("[A-Za-z]{2,}", re.sub("`[^`]*`|`--.*", "", text))
        assert {*words} <= known | {"column"}
    for line in said.split("\n"):
        assert columns(line) <= 88 or line[0] == " "  # a row of a table
        assert line[:1] not in tuple("，。；：、）”")
        assert not re.search("[\u4e00-\u9fff] [\u4e00-\u9fff]", line) or line[0] == " "
    assert pickle.loads(pickle.dumps(table.notes)) == table.notes


def test_the_language_changes_the_report_and_nothing_else(tmp_path, capsys):
    one, other = (diagnose(EXAMPLE, "HG", language=name) for name in ("en", "zh"))
    assert one.to_dict() == other.to_dict()
    assert str(one) == str(diagnose(EXAMPLE, "HG"))
    page = tmp_path / "report.html"
    assert main(["diagnose", "--example", "--language", "zh", "--html", str(page)]) == 1
    assert capsys.readouterr().out == f"{other}\n"
    assert other._repr_html_() in page.read_text("utf-8")
    refuses(ValueError, "language is 'fr'; expected one of en, zh", diagnose, xor(), language="fr")
    with pytest.raises(SystemExit, match="2"):
        main(["diagnose", "--example", "--language", "fr"])
    assert "invalid choice: 'fr' (choose from" in capsys.readouterr().err
