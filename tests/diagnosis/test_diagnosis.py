"""Diagnosing tables: what is read, the verdicts of documented cases, the report, the command."""

import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from fractions import Fraction
from time import process_time, sleep

import numpy as np
import pandas as pd
import pyarrow
import pytest
from judges import judge_diagnosis
from refusals import refuses
from scipy.optimize import minimize
from strategies import SHAPES, factor_table, small_table, some

from perceptron_notes.__main__ import main
from perceptron_notes.data import Dataset
from perceptron_notes.datasets import iris, xor
from perceptron_notes.diagnosis import EXAMPLE, diagnose
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.files import load_table
from perceptron_notes.diagnosis.in_html import html_page
from perceptron_notes.diagnosis.logistic import fit
from perceptron_notes.diagnosis.table import read_table

#: How many tables of each shape `make fuzz` tries, and all others.
TABLES = 250 if os.environ.get("FUZZ") else some(25)


@pytest.fixture(scope="module")
def endometrial():
    table = pd.read_csv(EXAMPLE)
    table.index += 1
    return diagnose(table, "HG")


def limits(found):
    return {c.name: c.limit for c in found.coefficients}


def coefficient(found, name):
    return next(c for c in found.coefficients if c.name == name)


# ------------------------------------------------------------------------- documented cases


def test_endometrial_cancer_is_quasi_separated(endometrial):
    # Heinze and Schemper, Statistics in Medicine 21, 2002; detectseparation and brglm2 for R.
    s = endometrial.verdict
    assert s.kind == "quasi-complete separation"
    assert len(s.separated) == 13
    assert s.verify()
    assert {name for name, a in s.direction.items() if a} == {"NV"}
    assert limits(endometrial) == {
        "(Intercept)": "finite", "NV": "+inf", "PI": "finite", "EH": "finite",
    }  # fmt: skip
    c = [coefficient(endometrial, name) for name in ("(Intercept)", "PI", "EH")]
    assert [f"{a.value:.3f}" for a in c] == ["4.305", "-0.042", "-2.903"]
    assert [f"{a.error:.3f}" for a in c] == ["1.637", "0.044", "0.846"]
    nv = coefficient(endometrial, "NV")
    assert f"{nv.firth:.2f} {nv.firth_error:.2f} {nv.bound:.2f}" == "2.93 1.55 1.28"


def test_the_examples_of_the_statistics_faq():
    # "What is complete or quasi-complete separation in logistic regression?", UCLA.
    eight = pd.DataFrame({"X1": [1, 2, 3, 3, 5, 6, 10, 11], "X2": [3, 2, -1, -1, 2, 4, 1, 0]})
    found = diagnose(eight, [0, 0, 0, 0, 1, 1, 1, 1])
    assert found.verdict.kind == "complete separation"
    assert limits(found) == {"(Intercept)": "-inf", "X1": "+inf", "X2": "undetermined"}
    assert [cut.name for cut in found.leaks] == ["X1"]
    assert found.needed == ("X1",)
    ten = pd.DataFrame(
        {"X1": [1, 2, 3, 3, 3, 4, 5, 6, 10, 11], "X2": [3, 0, -1, 4, 1, 0, 2, 7, 3, 4]}
    )
    found = diagnose(ten, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert found.verdict.kind == "quasi-complete separation"
    assert found.verdict.overlapping == (2, 3, 4)
    assert limits(found) == {"(Intercept)": "-inf", "X1": "+inf", "X2": "finite"}
    assert f"{coefficient(found, 'X2').value:.4f}" == "-0.1206"


@pytest.mark.parametrize("shape", [*SHAPES, "questionnaire"])
def test_verdict_rows_proofs_and_limits_are_those_of_an_independent_program(shape):
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        if shape == "questionnaire":
            X, y = factor_table(rng, int(rng.integers(30, 300)), int(rng.integers(8, 30)))
        else:
            X, y = small_table(rng, shape)
        intercept = bool(rng.random() < 0.8)
        try:
            found = diagnose(X, y, intercept=intercept, seconds=2)
        except ValueError as error:
            assert "sizes too far apart" in str(error)  # noqa: PT017
            continue
        told = found.table.names, found.verdict, [c.limit for c in found.coefficients]
        assert judge_diagnosis(told, X, y, intercept) is None, seed


@pytest.mark.parametrize("long", ["2.2e-16", "0.12345678901234567"])
def test_proofs_are_about_the_numbers_in_the_file(tmp_path, long):
    # p + q = 1 in four rows that alternate, so one row is separable at most; not so in floats.
    rows = ["0.6,0.4,1", "0.7,0.3,0", "0.8,0.2,1", "0.9,0.1,0", f"{long},{long},0"]
    (tmp_path / "t.csv").write_text("p,q,y\n" + "\n".join(rows))
    found = diagnose(tmp_path / "t.csv", "y")
    assert found.verdict.separated == (6,)
    assert found.verdict.verify()
    (tmp_path / "t.csv").write_text("p,x,y\n1e-400,1,0\n2,2,1\n")
    assert diagnose(tmp_path / "t.csv", "y").table.without == ("p",)
    thirds = [[Fraction(k, 3), 1 - Fraction(k, 3)] for k in range(4)]
    found = diagnose(np.array([*thirds, [Fraction(1, 7)] * 2]), [1, 0, 1, 0, 0])
    assert found.verdict.separated == (4,)
    times = [[f"1700000000.12345678{k}"] for k in (8, 9, 7, 6)]
    found = diagnose(np.vectorize(Decimal)(times), [1, 1, 0, 0])
    assert found.separable
    assert "at least 1700000000.123456788 for 1" in " ".join(str(found).split())


def test_the_rows_that_remain_are_separated():
    for found, names in ((diagnose(xor().points, xor().y), 2), (diagnose(*noisy()), 3)):
        kept = [i for i in found.table.rows if i not in found.mistakes]
        points, y = found.table.points[kept], found.table.y[kept]
        assert len(found.table.names) == names
        if len(set(y.tolist())) == 2:
            assert diagnose(points, y).separable


def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(2)
    return X, X[:, 0] + rng.normal(size=60) / 2 > 0


def test_labels_are_shuffled_to_see_whether_it_is_an_accident():
    # One positive row among 300 in 15 dimensions is nearly always separable; Cover's share of
    # labels thrown by a coin, 10⁻⁶⁰, would say otherwise.
    rng = np.random.default_rng(1)
    found = diagnose(rng.normal(size=(300, 15)).round(2), np.arange(300) == 7, seconds=20)
    assert found.separable
    assert found.shuffled[0] > 10
    assert "it may be an accident" in " ".join(str(found).split())
    x = np.arange(40)
    found = diagnose(x[:, None], x > 20)
    assert found.shuffled == (0, 20)
    assert "20 tables with these labels shuffled among the rows, 0 are" in " ".join(
        str(found).split()
    )


def test_a_profile_limit_minds_sign_and_mean_and_is_none_for_complete_separation():
    table = pd.read_csv(EXAMPLE)
    for column, limit, bound in ((-table.NV, "-inf", "-1.28"), (table.NV + 1e9, "+inf", "1.28")):
        nv = coefficient(diagnose(table.assign(NV=column), "HG"), "NV")
        assert (nv.limit, f"{nv.bound:.2f}") == (limit, bound)
    found = diagnose([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert [(c.limit, c.bound) for c in found.coefficients] == [("-inf", None), ("+inf", None)]


def test_nearly_collinear_columns_have_their_true_errors_or_none():
    years = np.arange(1990.0, 2021)
    y = np.sin(2 * years) > 0
    raw, centred = ([a**k for k in (1, 2, 3)] for a in (years, years - 2005))
    one, other = (coefficient(diagnose(np.transpose(X), y), "column 2") for X in (raw, centred))
    assert np.isclose(one.value, other.value, rtol=1e-4)
    assert np.isclose(one.error, other.error, rtol=1e-4)
    a, b = noisy()[0][:, :2].T
    table = pd.DataFrame({"a": a, "a'": a + 1e-15 * (b > 0), "b": b})
    found = diagnose(table, noisy()[1])
    assert limits(found)["a'"] == "finite"
    assert [np.isnan(c.value) for c in found.coefficients] == [False, True, True, False]
    assert "Without a number: a and a'. Columns are too nearly collinear" in str(found)


def test_firths_estimate_is_a_maximum():
    points, y = np.array([0.0, 1, 1, 1, 3]), np.array([0, 0, 1, 1, 1])
    F = np.column_stack([np.ones(5), points])

    def loss(b):
        p = 1 / (1 + np.exp(-F @ b))
        information = (F.T * (p * (1 - p))) @ F
        return -np.log(np.where(y, p, 1 - p)).sum() - np.linalg.slogdet(information)[1] / 2

    best = minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13})
    found = diagnose(points[:, None], y)
    assert np.allclose([c.firth for c in found.coefficients], best.x, atol=1e-6)


def test_a_fit_ends_where_all_weights_vanish():
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        far = np.array([-1e4, 1e4])
        found = fit(np.array([[0.0], [1.0]]), far > 0, lambda _: None, offset=far)
    assert found.likelihood == 0
    assert np.isfinite(found.coefficients).all()


# -------------------------------------------------------------------------------- what is read


def test_a_frame_keeps_its_names_and_its_index():
    table = pd.DataFrame(
        {
            "age": [31, 42, 55, 60, 38, None, 47],
            "sex": ["f", "m", "m", "f", "f", "m", None],
            "smokes": [True, False, True, False, True, False, True],
            "id": [f"p{k}" for k in range(7)],
            "seen": pd.date_range("2020-01-01", periods=7),
            "mostly": [None, None, None, None, 1.0, 2.0, 3.0],
        },
        index=list("abcdefg"),
    )
    y = pd.Series(
        ["ill", "well", "ill", "well", "ill", "ill", "well"], index=table.index, name="state"
    )
    found = diagnose(table.assign(name=[f"n{k}" * 9 for k in range(7)] * 1), y)
    assert found.table.names == ("age", "sex=m", "smokes")
    assert found.table.without == ("id", "seen", "mostly", "name", "2 rows with a gap")
    assert found.table.rows == ("a", "b", "c", "d", "e")
    assert found.table.classes == ("ill", "well")
    said = str(found)
    for word in ("2 rows with a gap", "sex is text", "'f'", "2 classes, without id, seen"):
        assert word in said
    assert "All this is about the table without id" in said


@pytest.mark.parametrize(
    "labels",
    [
        [-1.0, -1.0, 1.0, 1.0],
        ["a", "a", "b", "b"],
        [False, False, True, True],
        pd.Series(["a", "a", "b", "b"], dtype="category"),
        np.array([[0], [0], [1], [1]]),
    ],
)
def test_labels_are_read_in_any_form(labels):
    found = diagnose([[1.5], [2], [3], [4]], labels)
    assert found.separable
    assert found.table.y.tolist() == [0, 0, 1, 1]


def test_rows_that_repeat_and_contradict_each_other_are_counted():
    found = diagnose([[1], [1], [1], [2], [2], [5], [-0.0], [0.0]], [0, 0, 1, 1, 1, 1, 0, 0])
    assert found.duplicated == 3
    assert found.contradictory == [(0, 1, 2)]
    assert found.least_mistakes == 1
    assert found.verdict.kind == "quasi-complete separation"


def test_collinear_and_constant_columns_are_named():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 9, 30)
    table = pd.DataFrame({"a": a, "b": 2 * a + 1, "c": 7, "d": rng.integers(0, 9, 30)})
    found = diagnose(table, rng.random(30) < 0.5)
    assert found.constant == ["c"]
    said = str(found)
    assert "b = 2·a + 1" in said or "2·a + 1 = b" in said
    assert limits(found)["a"] == "not identified"
    assert limits(found)["d"] == "finite"


def test_three_classes_are_compared_in_pairs_and_with_the_rest():
    flowers = iris("setosa")  # against both others
    species = np.where(flowers.y > 0, "setosa", "versicolor").astype(object)
    virginica = set(map(tuple, iris("virginica").points[iris("virginica").y > 0]))
    species[[tuple(point) in virginica for point in flowers.points]] = "virginica"
    found = diagnose(flowers.points, species)
    assert found.pairs["setosa", "versicolor"].kind == "complete separation"
    assert found.pairs["versicolor", "virginica"].kind == "overlap"
    assert found.rest["setosa"].kind == "complete separation"
    assert found.separable is False
    assert "setosa | versicolor" in str(found)


@pytest.mark.parametrize("way", ["as is", "concatenated"])
def test_the_obstruction_cancels_in_the_users_units_though_labels_repeat(way):
    X, y = noisy()
    table = pd.DataFrame(X, columns=list("abc"))
    if way == "concatenated":
        table.index = [*range(30), *range(30)]
    found = diagnose(table, y)
    total = np.zeros(4, dtype=object)
    for row, q in found.verdict.obstruction.items():
        assert q > 0
        numbers = [Fraction(1), *(Fraction(str(a)) for a in X[row].tolist())]
        total += q * (1 if y[row] else -1) * np.array(numbers)
    assert not total.any()
    assert len(set(found.verdict.names)) == 4
    notes = " ".join(found.table.notes)
    assert ("repeat" in notes) == (way == "concatenated")


def test_a_name_that_is_taken_is_refused():
    for names, twice in ((["a", "b", "a"], "a"), (["(Intercept)", "a", "b"], "(Intercept)")):
        table = pd.DataFrame(noisy()[0], columns=names)
        refuses(ValueError, f"X has the column {twice!r} twice", diagnose, table, noisy()[1])


def test_values_are_what_they_are():
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    table = pd.DataFrame(
        {
            "x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 7],
            "decimal": [Decimal("0.5"), None, *map(Decimal, range(8))],
            "flag": np.array([np.bool_(k % 2) for k in range(10)], dtype=object),
            "id": pd.array([2**60 + k for k in range(9)] + [None], dtype="Int64"),
            "list": [[1, 2]] * 10,
            "dose": pd.Categorical(["low", "mid", "high", "mid", "low"] * 2, dtype=order),
            "typo": [*"123456789", "12O4"],
        }
    )  # fmt: skip
    found = diagnose(table, [0, 1] * 5)
    assert found.table.names == ("x", "decimal", "flag", "id", "dose=mid", "dose=high")
    assert found.table.numbers[1, 3] - found.table.numbers[0, 3] == 2
    notes = " ".join(found.table.notes)
    for words in ("list (object", "9 of 10 are numbers; row 9 has '12O4'"):
        assert words in notes
    masked = np.ma.masked_values([[1.0, 0], [2, -9], [3, 1], [4, 0]], -9)
    assert diagnose(masked, [0, 0, 1, 1]).table.rows == (0, 2, 3)
    labels = pd.Series(["low", "high"] * 2, dtype=order)
    assert diagnose([[1], [2], [3], [4]], labels).table.classes == ("low", "high")
    found = diagnose([[1], [2], [3], [4]], [1, "1"] * 2)
    assert found.table.called == ("1", "'1'")
    found = diagnose([[1], [2], [3], [4]], ["yes", "Yes "] * 2)
    assert "'Yes ' and 'yes' differ only in case or spaces" in str(found)
    table = pd.DataFrame([[0, 1], [1, 2]])
    assert diagnose(table, 0).table.target == "0"
    refuses(ValueError, "'0' holds the labels", diagnose, table, 0, leave_out="0")
    refuses(TypeError, "3 is no name of a column of X", diagnose, table, 0, leave_out=3)


@pytest.mark.parametrize(
    ("who", "X", "y"),
    [
        ("3 labels", [[1], [2]], [0, 1, 0]),
        ("one class, 1", [[1], [2]], [1, 1]),
        ("0.25", [[1], [2], [3]], [0.25, 0.5, 0.75]),
        ("'label'", pd.DataFrame({"a": [1, 2]}), "label"),
        ("'a'", pd.DataFrame({"a": [1, 2]}), "a"),
        ("a (row q has inf", pd.DataFrame({"a": [1, np.inf]}, index=["p", "q"]), [0, 1]),
        ("reshape(-1, 1)", [1, 2], [0, 1]),
        ("a gap", [[1, np.nan], [np.nan, 2]], [0, 1]),
        ("no column of numbers", pd.DataFrame({"a": ["x", "x"]}), [0, 1]),
        ("ragged", [[1, 2], [3]], [0, 1]),
        ("no label", [[1], [2]], [None, None]),
    ],
)
def test_what_cannot_be_read_is_refused(who, X, y):
    refuses(ValueError, who, diagnose, X, y)


def test_what_is_no_label_no_time_and_no_function_is_refused():
    refuses(TypeError, "labels", diagnose, [[1], [2]], [1j, 2j])
    refuses(TypeError, "[0]", diagnose, pd.DataFrame({"a": [1, 2], "g": [[0], [1]]}), "g")
    refuses(ValueError, "seconds is 0", diagnose, [[1], [2]], [0, 1], seconds=0)
    refuses(TypeError, "progress is an int", diagnose, [[1], [2]], [0, 1], progress=1)


# --------------------------------------------------------------------------- time and progress


def test_the_verdict_comes_whatever_the_budget_and_what_did_not_is_named():
    X, y = noisy()
    found = diagnose(X, y, seconds=1e-9)
    assert found.verdict.kind == "overlap"
    assert found.separable is False
    assert {c.limit for c in found.coefficients} == {"finite"}
    assert found.mistakes is None
    assert "the fewest mistakes" in found.unfinished
    assert "The budget was 1e-09 seconds" in " ".join(str(found).split())
    json.dumps(found.to_dict())


def test_waiting_is_not_paid_from_the_budget():
    clock = Clock(0.2, None)
    with clock.part("waiting"):
        sleep(0.3)
        clock.report("still here")
    assert clock.unfinished == []
    with clock.part("computing"):
        while True:
            clock.report("still here")
    assert clock.unfinished == ["computing"]


def test_units_may_lie_farther_apart_than_floats_reach():
    whole = np.random.default_rng(0).integers(-9, 10, (24, 4))
    found = diagnose(whole * [1e-76, 1e141, 1e-53, 1e-150], whole @ [3, -1, 2, 2] > 0)
    assert found.separable
    assert found.enough is not None


def test_more_columns_than_rows_separate_whatever_the_labels():
    rng = np.random.default_rng(3)
    begin = process_time()
    found = diagnose(rng.normal(size=(60, 700)).round(2), rng.random(60) < 0.5, seconds=3)
    assert process_time() - begin < 20
    assert found.verdict is None
    assert found.separable
    assert "planes divide them whatever the labels are" in " ".join(str(found).split())
    found = diagnose(rng.normal(size=(12, 60)), rng.random(12) < 0.5)
    assert found.verdict.kind == "complete separation"
    assert "Collinear columns: 49 relations." in " ".join(str(found).split())


def test_progress_is_told_and_may_stop_it():
    X, y = noisy()
    told = []
    diagnose(X, y, progress=told.append)
    assert any("separation" in sentence for sentence in told)

    def stop(sentence):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose(X, y, progress=stop)


# ---------------------------------------------------------------------------------- the report


def test_the_report_has_the_proof_and_the_limit(endometrial):
    said = " ".join(str(endometrial).split())
    for answer in ("NV changes no score of the 66", "4 rows cancel exactly", "> 1.284"):
        assert answer in said


def test_the_page_needs_no_other_file_and_lets_no_name_and_no_control_in():
    table = pd.DataFrame({"<script>\x1b[2J\x9b": [1, 2, 3, 4]}, index=[np.inf, 1, 2, 3])
    found = diagnose(table, pd.Series(["<b>", "<b>", "&", "&"], index=table.index))
    html = html_page(found, "<i>table</i>")
    assert not re.search(r"<(script|b|i)>|src=|href=|url\(|@import", html)
    assert "&lt;script&gt;" in html
    assert html.count("<circle") == 4
    assert not re.search("[\x1b\x9b]", str(found) + html)
    json.dumps(found.to_dict(), allow_nan=False)


def test_json_holds_the_proof(endometrial):
    told = json.loads(json.dumps(endometrial.to_dict(), allow_nan=False))
    assert told["verdict"]["direction"]["NV"] == "1"
    assert [row for row, _ in told["verdict"]["obstruction"]] == [1, 18, 44, 77]
    assert told["coefficients"][1]["value"] == "inf"


# --------------------------------------------------------------------------------- the command


def command(*words):
    return main(["diagnose", *map(str, words)])


def test_the_command_reports_and_its_exit_code_says_separable_or_not(tmp_path, capsys):
    assert command("--example", "--html", tmp_path / "report.html") == 1
    assert "Quasi-complete separation: 79 rows" in capsys.readouterr().out
    assert "<title>endometrial.csv</title>" in (tmp_path / "report.html").read_text()
    (tmp_path / "two.csv").write_text("a;b;c\n1,5;x;no\n2,5;y;no\n3,5;x;yes\n4,5;y;yes\n")
    assert command(tmp_path / "two.csv", "--label", "c", "--leave-out", "b", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["columns"] == ["a"]
    assert told["verdict"]["direction"] is not None


def zipped(*names, content=b"x,y\n1,0\n2,1\n"):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writing:
        for name in names:
            writing.writestr(name, content)
    return archive.getvalue()


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"", "t.csv is empty"),
        (b"a,y\n", "t.csv"),
        (b"a,y\n1,0\n2\n", "line 3: 1 values"),
        (b"a,a,y\n1,2,0\n", "columns 1 and 2"),
        (b"a,y\n1,0\n\xff,1\n", "line 3: byte 0xff"),
        (b'a,y\n1,0\n"2,1\n', "line 3"),
        (b"a,z\n1,0\n2,1\n", "'y'"),
        (b"a,y\n1,0\n\ninf,1\n", "a (line 4 has inf"),
        (b"a\x00,y\n1,0\n", "null bytes"),
        (b"14.23,y\n1,0\n2,1\n".replace(b"y", b".5"), "line 1: all names are numbers"),
        (b"PK\x03\x04", "cannot be unpacked"),
        (gzip.compress(b"a,y\n1,0\n2,1\n", mtime=0)[:-9], "cannot be unpacked"),
        (lzma.compress(b"a,y\n1,0\n2,1\n"), "packed by zstd, bz2 or xz"),
        (zipped("a.csv", "b.csv"), "t.csv holds a.csv and b.csv; expected one table"),
        (b'{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n', "t.csv is JSON"),
        (b"\n<!DOCTYPE html><table><tr><td>a", "t.csv is HTML or XML"),
        (b"x,z,y\nkg,cm,\n1,3,0\n2,3,1\n".replace(b"2,3,1", b"2.5,9,1\n" * 9), "line 2 has 'kg'"),
        (b"x,y\n1,0\n2,1\n3,1\nNote: draft\n", "line 5: 1 values, but line 1 has 2 names"),
        (b"$FL2@(#) SPSS DATA FILE", "t.csv is an SPSS file"),
        (b"PAR1 but no more", "t.csv begins as a Parquet file, but cannot be read"),
        (b"x,Y\n1,0\n2,1\n", "t.csv has no column 'y'; did you mean 'Y'?"),
        ("a,y\n\xe4,0\n2,1\n".encode("cp1252"), "line 2: byte 0xe4"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path, capsys, content, where):
    (tmp_path / "t.csv").write_bytes(content)
    assert command(tmp_path / "t.csv", "--label", "y") == 2
    told = capsys.readouterr()
    assert where in told.err
    assert not told.out


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        (b"sep=;\n\n# a, b\nx;y\n1,5;0\n2;1\n", ["x"], [5, 6]),
        ("x,y\n1,a\u2028b\n2,c\n".encode(), ["x"], [2, 3]),
        ("x,y\n1,0\n2,1\n".encode("utf-16"), ["x"], [2, 3]),
        (b"#x,y\n1,0\n2,1\n", ["#x"], [2, 3]),
        (b",x,y\nann,1,0\nbob,2,1\n", ["x"], ["ann", "bob"]),
        (b'"","x","y"\n"1",4,0\n"2",3,1\n', ["x"], [1, 2]),
        (b"x,y\n1,0\n#N/A,0\n.,0\n-,0\n2,1\n3,1\n4,1\n", ["x"], [2, 6, 7, 8]),
        (b'"kg, net";"cm, net";y\n70,5;1,2;0\n65;1,3;1\n', ["kg, net", "cm, net"], [2, 3]),
        (b'"x" "g" "y"\n"ann" 1 "a b" 0\n"bob" 2 "c" 1\n', ["x", "g=c"], ["ann", "bob"]),
        (b"x,y\n1,0,\n2,1,\n", ["x"], [2, 3]),
        (gzip.compress(b"x,y\n1,0\n2,1\n", mtime=0), ["x"], [2, 3]),
        (b"t,x,y\nnone,1,0\nsome,2,1\n", ["t=some", "x"], [2, 3]),
        (b"a;b;y\n1,234;0,5;0\n958;0,5;1\n", ["a", "b"], [2, 3]),
        (b"d;a;y\n31.12.2020;1,5;0\n31.12.2020;2;1\n", ["a"], [2, 3]),
        (b"x,i,y\n1,9007199254740993,0\n2,5,1\n", ["x", "i"], [2, 3]),
        (b'x,"b\nc",y\n\n1,2,0\n"2","3",1\n5,NA,1\n', ["x", "b\nc"], [4, 5]),
        (zipped("a.csv", "__MACOSX/a.csv"), ["x"], [2, 3]),
        (b"a   b   y\n1   2   0\n13  4   1\n", ["a", "b"], [2, 3]),
        (b"name;tags;y\na;1,2,3;0\nb;4,5,6;1\nc;1,2,3;0\n", ["tags=4,5,6"], [2, 3, 4]),
        (b"x,tags,y\n1,1;2;3,0\n2,4;5;6,1\n3,1;2;3,0\n", ["x", "tags=4;5;6"], [2, 3, 4]),
    ],
)
def test_files_of_many_programs_are_read(tmp_path, content, names, rows):
    (tmp_path / "t.csv").write_bytes(content)
    found = diagnose(tmp_path / "t.csv", "y", seconds=5)
    assert list(found.table.names) == names
    assert list(found.table.rows) == rows


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["-1.5", "\u22122", "3"], [-1.5, -2, 3]),
        (['"1,234"', "958", '"12,345.5"'], [1234, 958, 12345.5]),
        (['"1,5"', '"2,25"', '"1,234"'], [1.5, 2.25, 1.234]),
        (["1\xa0234.5", "12'345", "1"], [1234.5, 12345, 1]),
        (["12%", "3.5 %", "NA"], [12, 3.5]),
        (["TRUE", "True", "false"], [1, 1, 0]),
        (["-$12", "$3", "-$4.5"], [-12, 3, -4.5]),
        (["1.0D+00", "2.5d-01", "3"], [1, 0.25, 3]),
        (['"1,00,000"', "2000", '"12,34,567"'], [100000, 2000, 1234567]),
        (["1", "--", "N.A.", "2", "3", "4", "."], [1, 2, 3, 4]),
        (["007.5", "10", "3"], [7.5, 10, 3]),
    ],
)
def test_cells_are_read_where_they_mean_one_thing(tmp_path, cells, numbers):
    (tmp_path / "t.csv").write_text(
        "a,y\n" + "".join(f"{a},{k > 0:d}\n" for k, a in enumerate(cells))
    )
    found = diagnose(tmp_path / "t.csv", "y", seconds=5)
    assert found.table.points[:, 0].tolist() == numbers


INDEXED = "{},h,y\n30,5.1,0\n7,4.9,1\n80,5.3,0\n21,5.0,1\n"


@pytest.mark.parametrize(
    ("content", "names", "rows", "note"),
    [
        (INDEXED.format(""), ["h"], [30, 7, 80, 21], "The first column, which has no name, calls"),
        (INDEXED.format("Unnamed: 0"), ["h"], [30, 7, 80, 21], "calls the rows"),
        (INDEXED.format("").replace("80", "7"), ["column 1", "h"], [2, 3, 4, 5], "'column 1'"),
        (INDEXED.format("PatientID"), ["PatientID", "h"], [2, 3, 4, 5], "`--leave-out PatientID`"),
        (INDEXED.format("income"), ["income", "h"], [2, 3, 4, 5], ""),
        ('x,z,y\n"4,6",1.5,0\n5,2.5,1\n', ["x", "z"], [2, 3], "x is read with decimal commas."),
        ("zip,x,y\n02139,1,0\n10001,2,1\n02139,3,1\n", ["zip=10001", "x"], [2, 3, 4], "zeros"),
        ("d,x,y\n1/2/2020,1,0\n1/2/2020,2,1\n1/2/2020,3,1\n", ["x"], [2, 3, 4], "d (a date"),
        ("d,x,y\n2020-01-02,1,0\n2020-01-03,2,1\n,3,1\n", ["x"], [2, 3, 4], "d (a date"),
        ("d;x;y\n1.2.2020 9:30;1;0\n2.2.2020 9:30;2;1\n", ["x"], [2, 3], "d (a date"),
        ("d,x,y\n2023年1月5日,￥3,0\n2023年2月,无,1\n2023年3月,￥4,1\n", ["x"], [2, 4], "d (a"),
        ("Table 1: all\n\nx,y\n1,0\n2,1\n", ["x"], [4, 5], "Above the names, left out: Table 1"),
        ("Table 1,,\nx,z,y\n1,3,0\n2,3,1\n", ["x", "z"], [3, 4], "Above the names"),
        ("x,z,y\n1,3,0\ninf,3,1\n1,4,1\n", ["z"], [2, 3, 4], "x (line 3 has inf"),
        ("g,x,y\na,3,0\nb,4,1\nTotal,7,1\n", ["x"], [2, 3, 4], "Line 4 begins with 'Total'"),
        ("x,z,y\n1,2,0\n-999,1,0\n3,4,1\n2,-999,1\n", ["x", "z"], [2, 3, 4, 5], "`--missing -999`"),
        ("x,z,y\n-9,2,0\n-12,1,0\n3,9,1\n-9,7,1\n", ["x", "z"], [2, 3, 4, 5], ""),
    ],
)
def test_what_a_column_and_a_line_mean_is_said(tmp_path, content, names, rows, note):
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    table = read_table(load_table(tmp_path / "t.csv"), "y")
    assert list(table.names) == names
    assert list(table.rows) == rows
    assert note in " ".join(table.notes)
    assert note or not table.notes


def test_what_stands_for_a_gap_or_is_left_out_or_multiplied_can_be_said(tmp_path, capsys):
    content = "id;x;g;y\n4;-999;u;0\n9;1,5;unknown;1\n2;2,5;u;0\n7;3,5;v;1\n5;4,5;v;0\n"
    (tmp_path / "t.csv").write_bytes(content.replace("unknown", "\xe4").encode("cp1252"))
    words = ["--label", "y", "--encoding", "cp1252", "--missing", "-999", "--missing", "\xe4"]
    words += ["--leave-out", "id", "--interaction", "x:g", "--json"]
    assert command(tmp_path / "t.csv", *words) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert (told["columns"], told["rows"]) == (["x", "g=v", "x:g=v"], 3)
    (tmp_path / "t.csv").write_text(content.replace(",", "."))
    table = pd.read_csv(tmp_path / "t.csv", sep=";")
    found = diagnose(table, "y", missing=[-999, "unknown"], leave_out="id", interaction=["x:g"])
    assert found.table.names == ("x", "g=v", "x:g=v")
    assert found.table.points.tolist() == [[2.5, 0, 0], [3.5, 1, 3.5], [4.5, 1, 4.5]]
    exact = diagnose(
        {"a": [0.1, 0.2, 3], "b": [0.1, 0.7, 1], "y": [0, 1, 0]}, "y", interaction="a:b"
    )
    assert exact.table.points[:, 2].tolist() == [0.01, 0.14, 3]
    for pair in ("x", "x:h", "d:x", "x:g:x"):
        why = f"interaction is {pair!r}; expected a:b, two columns of X that are used: 'id', 'x'"
        refuses(ValueError, why, diagnose, table.assign(d=[*"abcde"]), "y", interaction=pair)
    far = {"a": [1e100, 2, 3], "y": [0, 1, 1]}
    refuses(ValueError, "row 0 has", diagnose, far, "y", interaction="a:a")
    refuses(TypeError, "missing has [1]", diagnose, table, "y", missing=[[1]])


def test_levels_are_multiplied_as_r_does():
    a, b = [*"uvwuvw"], [*"ppqqpq"]
    found = diagnose({"a": a, "b": b, "y": [0, 1, 0, 1, 1, 0]}, "y", interaction="a:b").table
    assert found.names == ("a=v", "a=w", "b=q", "a=v:b=q", "a=w:b=q")
    assert found.points[:, 4].tolist() == [x == "w" and z == "q" for x, z in zip(a, b, strict=True)]


@pytest.mark.parametrize("way", ["dict", "Table", "RecordBatch", "parquet", "feather", "stdin"])
def test_tables_of_any_kind_are_read_alike(tmp_path, monkeypatch, way):
    columns = {"k": [1, 2**60 + 1, None, 4], "x": [0.1, 0.2, 0.3, 0.4], "y": [*"nnpp"]}
    table = pyarrow.table(columns)
    if way == "stdin":
        text = "k,x,y\n1,.1,n\n1152921504606846977,.2,n\n,.3,p\n4,.4,p\n"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        table = "-"
    elif way == "dict":
        table = columns
    elif way == "RecordBatch":
        table = table.to_batches()[0]
    elif way != "Table":
        getattr(table.to_pandas(types_mapper=pd.ArrowDtype), f"to_{way}")(tmp_path / "t")
        table = tmp_path / "t"
    found = diagnose(table, "y").table
    assert (found.names, found.called) == (("k", "x"), ("n", "p"))
    assert [int(k * found.units[0]) for k in found.numbers[:, 0]] == [1, 2**60 + 1, 4]
    assert found.points[:, 1].tolist() == [0.1, 0.2, 0.4]


def test_what_pandas_needs_is_said_where_it_lacks(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(zipped("[Content_Types].xml", "xl/workbook.xml"))
    monkeypatch.setitem(sys.modules, "pandas", None)
    refuses(ValueError, "t.xlsx is a workbook", diagnose, tmp_path / "t.xlsx", "y")


def test_a_workbook_is_read_as_its_first_sheet(tmp_path, monkeypatch):
    # What pandas returns of a sheet, without the package that reads workbooks.
    first = pd.DataFrame([["My title", "", ""], ["zip", "x", "y"], ["01", 0.1, 0], ["02", 2, 1],
                          ["02", 3, 1]], dtype=object)  # fmt: skip
    monkeypatch.setattr(pd, "read_excel", lambda *_, **__: {"one": first, "two": first})
    (tmp_path / "t.xlsx").write_bytes(zipped("[Content_Types].xml", "xl/workbook.xml"))
    found = diagnose(tmp_path / "t.xlsx", "y").table
    assert (found.names, found.rows) == (("zip=02", "x"), (3, 4, 5))
    assert "Only the first sheet is read, 'one', and not two." in found.notes


def test_a_dataset_has_its_labels_and_columns_their_words():
    data = xor()
    assert diagnose(data).verdict.kind == diagnose(data, data.y).verdict.kind == "overlap"
    assert not diagnose(Dataset(data.points, data.y, intercept=False)).table.intercept
    refuses(TypeError, "y is missing", diagnose, [[1], [2]])
    pairs = pd.MultiIndex.from_tuples([("a", "low"), ("a", "high"), ("b", "")])
    table = pd.DataFrame([[1, 2, 0], [2, 1, 1], [3, 5, 1]], columns=pairs)
    assert diagnose(table, [0, 1, 1]).table.names[:2] == ("a low", "a high")
    cut = pd.DataFrame({"x": pd.cut([1, 5, 9, 2], 2), "d": pd.date_range("2020", periods=4)})
    notes = " ".join(diagnose(cut, [0, 1, 1, 0]).table.notes)
    assert "for each value but (0.992, 5.0]." in notes
    assert "d (a date or a time; make a number of it, such as days since the first)" in notes


def test_text_has_all_its_levels_and_numbers_have_them_if_that_is_said(tmp_path):
    # The usual cause of separation: one of many levels has one label only.
    state, y = np.arange(300) % 30, np.arange(300) // 30 % 2
    y[state == 7] = 1
    table = pd.DataFrame({"state": state, "y": y})
    text, category = table.state.map("S{:02d}".format), table.state.astype("category")
    table.to_csv(tmp_path / "t.csv", index=False)
    for found, name in (
        (diagnose(table.assign(state=text), "y", seconds=20), "state=S07"),
        (diagnose(table.assign(state=category), "y", seconds=20), "state=7"),
        (diagnose(tmp_path / "t.csv", "y", category="state", seconds=20), "state=7"),
    ):
        assert found.verdict.kind == "quasi-complete separation"
        assert [c.name for c in found.coefficients if c.limit == "+inf"] == [name]
    refuses(ValueError, "no column 'z'", diagnose, table, "y", category="z")


def test_weights_are_rows_that_are_there_several_times():
    table = pd.DataFrame({"x": [0, 0, 1, 1, 2], "y": [0, 1, 0, 1, 1], "n": [6, 2, 5, 7, 0]})
    found, long = diagnose(table, "y", weights="n"), table.loc[np.repeat(range(5), table.n)]
    whole = diagnose(long[["x", "y"]].reset_index(drop=True), "y")
    assert found.table.counts == whole.table.counts == [11, 9]
    assert found.coefficients == whole.coefficients
    assert (found.least_mistakes, found.duplicated) == (whole.least_mistakes, 0)
    assert found.verdict.kind == "overlap"
    assert "1 row with the weight 0 left out" in str(found)
    for words, weights in (("weights make 2,000", [10**12] * 2), ("is 1.5 in row 1", [1, 1.5])):
        refuses(ValueError, words, diagnose, [[1], [2]], [0, 1], weights=weights)


def test_without_an_intercept_planes_go_through_the_origin():
    X, y = np.array([[1], [2], [3], [4]]), [0, 0, 1, 1]
    found = diagnose(X, y, intercept=False)
    assert (found.verdict.kind, found.leaks) == ("overlap", [])
    slope = minimize(lambda b: np.logaddexp(0, -np.where(y, 1, -1) * X[:, 0] * b[0]).sum(), [0])
    assert [c.name for c in found.coefficients] == ["column 0"]
    assert np.isclose(found.coefficients[0].value, slope.x[0], atol=1e-4)
    found = diagnose(X - 2.5, y, intercept=False)
    assert found.separable
    assert limits(found) == {"column 0": "+inf"}
    assert diagnose([[0], [0]], [0, 1], intercept=False).verdict.kind == "overlap"


@pytest.mark.parametrize("mark", [",", "."])
def test_a_mark_of_thousands_is_no_decimal_mark(tmp_path, mark):
    file, content = tmp_path / "t.csv", f"a;y\n958;0\n1{mark}234;1\n"
    file.write_text(content)
    refuses(ValueError, f"line 3: '1{mark}234' in 'a' may have a decimal mark", diagnose, file, "y")
    other = {",": ".", ".": ","}[mark]
    rows = zip(content.splitlines(), ["b", f"1{other}5", f"2{other}5"], strict=True)
    file.write_text("".join(f"{b};{row}\n" for row, b in rows))
    assert diagnose(file, "y").table.points[:, 1].tolist() == [958, 1234]


def test_trouble_is_never_taken_for_a_verdict(tmp_path, capsys, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text("a,y\n1,no\n2,yes\n")
    before = file.read_bytes()
    assert command(file, "--label", "y", "--html", tmp_path / "none/report.html") == 2
    assert "there is no folder" in capsys.readouterr().err
    assert command(file, "--label", "y", "--html", file) == 2
    assert "is the table itself" in capsys.readouterr().err
    assert file.read_bytes() == before
    monkeypatch.setattr("perceptron_notes.diagnosis.command.diagnose", lambda *_, **__: 1 / 0)
    assert command(file, "--label", "y") == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_pipe_may_lack_characters_or_be_closed(tmp_path, form):
    (tmp_path / "t.csv").write_text("a,y\n1,nö\n2,ж\n", encoding="utf-8")
    words = [sys.executable, "-m", "perceptron_notes", "diagnose", tmp_path / "t.csv"]
    words += ["--label", "y", *form]
    for coding in ("cp1252", "ascii", "gbk"):
        encoded = {**os.environ, "PYTHONIOENCODING": coding}
        told = subprocess.run(words, capture_output=True, check=False, env=encoded)
        assert (told.returncode, told.stderr) == (0, b"")
        assert form or b" -3." in told.stdout
    reading, writing = os.pipe()
    os.close(reading)
    told = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (told.returncode, told.stderr) == (0, b"")
