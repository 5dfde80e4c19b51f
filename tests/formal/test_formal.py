"""Runs put to the proof assistant: what it accepts, what it refuses, and where."""

import json
import os
import re
import select
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

from perceptron_notes import Dataset, at_random, certify, ledger, lowest, pla, record, separate
from perceptron_notes.__main__ import main
from perceptron_notes.convergence import Obstruction
from perceptron_notes.datasets import halfspaces, iris, li_hang, slow, xor
from perceptron_notes.formal import checker, claims, coq, export, verify

ROOT = Path(__file__).parent.parent.parent
FORMAL = ROOT / "perceptron_notes/formal"
PROOFS = {path.stem: path.read_text("utf-8") for path in sorted(FORMAL.glob("*.v"))}

#: The run of example 2.1 with its bound, and XOR with its obstruction.
RUN = claims.ClaimedRun(
    samples=[[1, 3, 3], [1, 4, 3], [1, 1, 1]],
    labels=[1, 1, -1],
    rate=1,
    start=[0, 0, 0],
    picks=[0, 2, 2, 2, 0, 2, 2],
    weights=[[1, 3, 3], [0, 2, 2], [-1, 1, 1], [-2, 0, 0], [-1, 3, 3], [-2, 2, 2], [-3, 1, 1]],
    ended=True,
    separator=[-4, 1, 1],
    m=2,
    R2=26,
    limit=117,
)
XOR = claims.ClaimedObstruction(
    samples=[[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]],
    labels=[-1, 1, 1, -1],
    multipliers=[1, 1, 1, 1],
)
#: What is wrong with odd claims, by the words of the checker.
ODD = {
    "Accepted": [RUN, XOR],
    "Refused_sign": [replace(RUN, rate=0), replace(RUN, m=0), replace(RUN, R2=-26)],
    "Refused_size": [
        replace(RUN, samples=[[1, 3, 3], [1, 4, 3], [1, 1]]),
        replace(RUN, start=[0, 0]),
        replace(RUN, separator=[-4, 1, 1, 0]),
        replace(RUN, samples=[], labels=[], picks=[], weights=[], start=[]),
        replace(XOR, samples=[[1], [1, 0, 1], [1, 1], [1, 1, 1]]),
    ],
    "Refused_count": [replace(XOR, multipliers=[1] * 3), replace(XOR, multipliers=[1] * 5)],
    "Refused_label 0": [
        replace(RUN, labels=[0, 1, -1]),
        replace(XOR, labels=[0, 0, 0, 0]),
        # Example 2.1 is separable; with labels that are none, its samples cancel.
        claims.ClaimedObstruction(RUN.samples, [0, 0, 0], [1, 1, 1]),
        claims.ClaimedObstruction([[1, 5], [1, 5]], [2, -1], [1, 2]),
    ],
    "Refused_label 1": [
        replace(RUN, labels=[1, 2, -1]),
        replace(XOR, labels=[-1, 10**30, 1, -1]),
        claims.ClaimedObstruction([[1, 5], [1, 5]], [1, -2], [2, 1]),
    ],
    "Refused_separator 1": [replace(RUN, samples=[[1, 3, 3], [1, 2, 3], [1, 1, 1]])],
    "Refused_separator 2": [replace(RUN, labels=[1, 1, 1])],
    "Refused_length 1": [replace(RUN, R2=25)],
    "Refused_pick 1": [
        replace(RUN, picks=[3, *RUN.picks[1:]]),
        replace(RUN, picks=[10**15, *RUN.picks[1:]]),
        replace(RUN, picks=[10**300, *RUN.picks[1:]]),
    ],
    "Refused_pick 6": [replace(RUN, picks=[*RUN.picks[:5], 0, 2])],
    "Refused_weights 1": [
        replace(RUN, picks=[1, *RUN.picks[1:]]),
        replace(RUN, weights=[[1, 3], *RUN.weights[1:]]),
        replace(RUN, weights=[[1, 3, 3, 0], *RUN.weights[1:]]),
    ],
    "Refused_end 2": [replace(RUN, picks=RUN.picks[:6], weights=RUN.weights[:6])],
    "Refused_limit": [replace(RUN, limit=116), replace(RUN, limit=-1)],
    "Refused_multiplier 2": [replace(XOR, multipliers=[1, 1, -1, -1])],
    "Refused_sum": [replace(XOR, multipliers=[1, 1, 1, 2]), replace(XOR, multipliers=[0] * 4)],
}


@pytest.fixture(scope="session")
def library():
    """A folder with the compiled proofs."""
    if lack := coq.missing():
        sentence = f"{lack}; these tests were not run, and `make proof` runs them"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(sentence)
    with coq._library() as folder:
        for part in PROOFS.keys() - set(coq.LIBRARY):
            (folder / f"{part}.v").write_text(PROOFS[part], "utf-8")
            done = coq._coq("coqc", f"{part}.v", folder=folder)
            assert done.returncode == 0, done.stderr
        yield folder


def asked(some, folder):
    """The checker's answers to many claims at once, without a theorem for each."""
    parts = ["From Perceptron Require Import Checker."]
    for k, claim in enumerate(some):
        body = claim.text().partition("Import Checker.")[2].partition("Theorem checked")[0]
        parts.append(f"Module M{k}.\n{body}\nEnd M{k}.")
    (folder / "Many.v").write_text("\n".join(parts), encoding="utf-8")
    done = coq._coq("coqc", "Many.v", folder=folder)
    assert done.returncode == 0, done.stderr
    return coq._answers(done.stdout)


def claim_of(data, rate=1.0, w0=None, pick=None, at_most=2000):
    """Return the claims about data: of a run if they are separable, else of an obstruction."""
    found = separate(data)
    if isinstance(found, Obstruction):
        return claims.of_obstruction(found, data)
    run = pla(data, *([pick] if pick else []), rate=rate, w0=w0)
    return claims.of_ledger(ledger(certify(data, found), record(run, at_most=at_most)))


def some_data(rng, most=20):
    """Dyadic samples, separable or not."""
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, most + 1))
    kind = rng.integers(3)
    if kind == 0:
        return Dataset(rng.integers(-4, 5, (n, d)), rng.choice([-1, 1], n))
    if kind == 1:
        points = rng.integers(-64, 65, (n, d)) / 16
        w = rng.integers(-3, 4, d + 1) + 0.5
        return Dataset(points, np.where(w[0] + points @ w[1:] > 0, 1, -1))
    return halfspaces(n, d, distance=0.02, rng=rng)


def some_claim(rng, most=20):
    """What is claimed of such samples, from some start and at some rate."""
    data = some_data(rng, most)
    w0 = rng.integers(-2, 3, data.d + 1) / 2 if rng.integers(2) else None
    pick = at_random(rng) if rng.integers(2) else lowest
    return claim_of(data, float(rng.choice([1, 0.5, 3])), w0, pick)


def meddled(value, rng):
    """The same with one number, or the length of one list, changed."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return int(rng.choice([-1, 0, 1, 2, -value, value + 1, 10**15]))
    if not value or not rng.integers(4):
        return value[:-1] if value and rng.integers(2) else [*value, *value[-1:]]
    k = int(rng.integers(len(value)))
    return [*value[:k], meddled(value[k], rng), *value[k + 1 :]]


def odd_files(count, rng):
    """Return the claims of files with one or two changes."""
    found = []
    while len(found) < count:
        claim = some_claim(rng, 3)
        for field in rng.choice(fields(claim), rng.integers(1, 3)):
            claim = replace(claim, **{field.name: meddled(getattr(claim, field.name), rng)})
        try:
            found.append(claims.read_claim(claim.text()))
        except ValueError:
            continue  # no file says this: such as a sample without any label
    return found


def prose(page):
    """The text of a page of the book."""
    cells = json.loads((ROOT / f"book/{page}.ipynb").read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def listing(start):
    """The lines of a transcript on the page about proofs, from its first command on."""
    _, first, rest = prose("formal").partition(f"$ {start}")
    return (first + rest.partition("\n```")[0]).splitlines()


def book(data):
    """The ledger of PLA's run on separable samples."""
    return ledger(certify(data, separate(data)), record(pla(data)))


# -------------------------------------------------------------------------------- the proof


def test_nothing_is_assumed_in_the_proof():
    for part, text in PROOFS.items():
        code = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        found = re.findall(
            r"\b(?:Admitted|admit|Axiom|Parameter|Conjecture|native_compute)\b", code
        )
        assert not found, part


def test_what_the_book_proves_has_its_twin_by_name():
    labels = set(re.findall(r"^:label: ((?:thm|lem|cor)-conv-\w+)", prose("3-convergence"), re.M))
    twins = re.findall(
        r"^ *(?:Theorem|Lemma|Corollary) (\w+_conv_\w+)", "".join(PROOFS.values()), re.M
    )
    assert {twin.replace("_", "-") for twin in twins} == labels - {
        "thm-conv-bounded",  # proved by hand, in an appendix
        "cor-conv-cycle",  # follows from it
    }
    table = re.findall(r"^\| \{prf:ref\}`([\w-]+)` \| `(\w+)` \|", prose("formal"), re.M)
    assert sorted(name for _, name in table) == sorted(twins)
    assert all(label.replace("-", "_") == name for label, name in table)


@pytest.mark.slow
def test_no_theorem_rests_on_an_axiom(library):
    found = re.findall(r"^ *(?:Theorem|Corollary|Lemma) (\w+)", "".join(PROOFS.values()), re.M)
    names = [name for name in found if re.search("_conv_|^accepted|^slow_", name)]
    asks = "".join(f"Print Assumptions {name}.\n" for name in names)
    (library / "Asks.v").write_text(
        f"From Perceptron Require Import {' '.join(PROOFS)}.\n{asks}", "utf-8"
    )
    told = coq._coq("coqc", "Asks.v", folder=library).stdout.splitlines()
    assert told == ["Closed under the global context"] * len(names)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_slow_samples_of_the_proof_are_those_of_the_package(library, d):
    data, T = slow(d), record(pla(slow(d))).updates
    text = f"""From Perceptron Require Import Slow.
{claims._data(data.X.astype(int).tolist(), data.y.tolist())}
Goal slow {d} = data /\\ total {d} = {T}. Proof. split; reflexivity. Qed.
"""
    (library / "Same.v").write_text(text, "utf-8")
    done = coq._coq("coqc", "Same.v", folder=library)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_coqchk_finds_no_axiom_either(tmp_path):
    export(book(li_hang()), tmp_path / "run.v")
    assert verify(tmp_path / "run.v", recheck=True, timeout=7200).accepted


def test_every_refusal_has_a_sentence_and_an_odd_claim():
    words = re.findall(r"^\| (\w+)", PROOFS["Checker"].partition("Inductive verdict")[2], re.M)
    assert set(words) - {"Accepted"} == set(coq._REASONS)
    assert {word.partition(" ")[0] for word in ODD} == set(words)


# ------------------------------------------------------------------------ true and forged


@pytest.mark.parametrize("word", ODD)
def test_the_plain_checker_judges_odd_claims(word):
    assert [checker.verdict(claim) for claim in ODD[word]] == [word] * len(ODD[word])


def test_coq_judges_odd_claims_in_the_same_way(library):
    some = [(word, claim) for word, same in ODD.items() for claim in same]
    assert asked([claim for _, claim in some], library) == [word for word, _ in some]


@pytest.mark.slow
def test_what_is_true_is_accepted(library):
    rng = np.random.default_rng(1)
    some = [some_claim(rng) for _ in range(200)]
    kinds = {type(claim) for claim in some}
    assert kinds == {claims.ClaimedRun, claims.ClaimedObstruction}
    assert asked(some, library) == ["Accepted"] * len(some)


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_coq_and_the_plain_checker_agree_on_any_file(library, count):
    some = odd_files(count, np.random.default_rng(5))
    answers = [checker.verdict(claim) for claim in some]
    assert asked(some, library) == answers
    assert 0.02 < np.mean([answer == "Accepted" for answer in answers]) < 0.5


@pytest.mark.slow
def test_the_book_shows_what_the_command_says(library, tmp_path, capsys):
    command, *shown = listing("perceptron-notes verify")
    names = command.split()[-3:]
    flowers = claims.of_ledger(book(iris("setosa", "versicolor")))
    forged = replace(RUN, picks=[*RUN.picks[:5], 0, *RUN.picks[6:]])
    for name, claim in zip(names, (RUN, flowers, forged), strict=True):
        (tmp_path / name).write_text(claim.text(), encoding="utf-8")
    main(["verify", "--quick", *(str(tmp_path / name) for name in names)])
    assert " ".join(capsys.readouterr().out.split()) == " ".join(" ".join(shown).split())


@pytest.mark.slow
def test_a_reader_can_do_without_the_package_as_the_book_says(library, tmp_path):
    (tmp_path / "example.v").write_text(RUN.text(), encoding="utf-8")
    lines = listing("cp ")
    commands = "\n".join(line[2:] for line in lines if line.startswith(("$ ", "> ")))
    shown = [line for line in lines if not line.startswith(("$ ", "> "))]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert " ".join(done.stdout.split()) == " ".join(" ".join(shown).split())


# ------------------------------------------------------------------------- real data, floats


@pytest.mark.slow
def test_iris_and_rounded_floats_are_accepted(library):
    flowers = iris("setosa")
    tenths = Dataset(flowers.points / 10, flowers.y)
    assert book(tenths).rounding
    some = [claim_of(flowers), claims.of_ledger(book(tenths))]
    assert asked(some, library) == ["Accepted"] * 2


# ---------------------------------------------------------------------------------- files


@pytest.mark.parametrize("seed", range(20))
def test_a_file_is_read_as_it_was_written(seed):
    claim = some_claim(np.random.default_rng(seed))
    assert claims.read_claim(claim.text()) == claim


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Compute", "Axiom wrong : False.\nCompute"),
        ("vm_compute. reflexivity. Qed.", "Admitted."),
        ("separates data wf /\\", "True /\\"),
        (
            "Require Import Checker.",
            "Require Import Checker.\nDefinition audit (c : claim) := Accepted.",
        ),
        ("make", "never make"),
    ],
)
def test_a_file_with_anything_else_in_it_is_refused(old, new, tmp_path):
    export(book(li_hang()), tmp_path / "run.v")
    text = (tmp_path / "run.v").read_text("utf-8")
    assert old in text
    (tmp_path / "run.v").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.v is not as export writes it: see line \d+"):
        verify(tmp_path / "run.v")


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "run.v").write_text("Goal True.", encoding="utf-8")
    refuses(ValueError, "run.v is no file that export has written", verify, tmp_path / "run.v")


def test_what_cannot_be_exported_is_named(tmp_path):
    refuses(TypeError, "proof is a Dataset", export, xor(), tmp_path / "x.v")
    refuses(TypeError, "an Obstruction needs its data", export, separate(xor()), tmp_path / "x.v")
    with pytest.raises(ValueError, match=r"proof is about X\[3\]"):
        export(separate(xor()), tmp_path / "x.v", li_hang())
    audited = book(li_hang())
    W = audited.trace.W.copy()
    W[3, 1] = np.nan
    broken = ledger(audited.certificate, replace(audited.trace, W=W))
    refuses(ValueError, "W[3] is ", export, broken, tmp_path / "x.v")
    assert not (tmp_path / "x.v").exists()


# -------------------------------------------------------------------------------- the command


def test_the_command_says_what_was_proved_and_what_was_not(library, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(coq, "_library", lambda timeout: nullcontext(library))
    export(book(li_hang()), tmp_path / "run.v")
    export(separate(xor()), tmp_path / "xor.v", xor())
    forged = replace(XOR, labels=[0, 0, 0, 0])
    (tmp_path / "forged.v").write_text(forged.text(), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("run.v", "xor.v", "forged.v")]
    assert main(["verify", "--quick", *files]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("run.v: Proved: These 7 updates are a run of PLA on these 3 samples")
    assert told[1].startswith("xor.v: Proved: No weights separate these 4 samples")
    assert told[2] == "forged.v: Refused: X[0] has a label other than +1 and -1."


@pytest.fixture
def instead(tmp_path, monkeypatch):
    """Replace Coq by a shell script."""

    def put(script):
        for program in ("coqc", "coqchk"):
            (tmp_path / program).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
            (tmp_path / program).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return put


def test_a_coq_that_fails_is_told_in_a_sentence(tmp_path, capsys, instead):
    instead("echo out of order >&2; exit 3")
    (tmp_path / "run.v").write_text(RUN.text(), "utf-8")
    assert main(["verify", "--quick", str(tmp_path / "run.v")]) == 1
    assert "nothing more is proved" in capsys.readouterr().err


def test_a_coq_that_is_late_is_ended_with_its_children(tmp_path, capsys, instead):
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    # A child holds the pipe until it ends.
    child = f"(echo begun; exec sleep 300) > {tmp_path}/held & wait"
    instead(f'case "$*" in *Run.v) {child};; esac')
    (tmp_path / "run.v").write_text(RUN.text(), "utf-8")
    (tmp_path / "xor.v").write_text(XOR.text(), "utf-8")
    files = [str(tmp_path / name) for name in ("run.v", "xor.v")]
    assert main(["verify", "--quick", "--timeout", "2", *files]) == 1
    late = "Undecided: coqc had not finished after 2 s and was stopped."
    assert capsys.readouterr().out.splitlines() == [f"run.v: {late}", f"xor.v: {late}"]
    assert os.read(held, 100) == b"begun\n" * 2
    assert select.select([held], [], [], 60)[0]
    assert os.read(held, 100) == b""  # nobody holds it any more
    os.close(held)


def test_a_coq_too_slow_for_the_library_is_told_in_a_sentence(tmp_path, capsys, instead):
    instead("sleep 300")
    (tmp_path / "run.v").write_text(RUN.text(), "utf-8")
    assert main(["verify", "--quick", "--timeout", "1", str(tmp_path / "run.v")]) == 1
    late = "coqc had not finished after 1 s and was stopped; nothing more is proved"
    assert capsys.readouterr() == ("", f"perceptron-notes: {late}\n")


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_a_limit_of_time_is_positive(wrong, tmp_path):
    (tmp_path / "run.v").write_text(RUN.text(), "utf-8")
    refuses(ValueError, "timeout is ", verify, tmp_path / "run.v", timeout=wrong)


def test_without_coq_the_command_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    (tmp_path / "run.v").write_text(RUN.text(), "utf-8")
    (tmp_path / "zero.v").write_text(replace(XOR, labels=[0, 0, 0, 0]).text(), "utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["verify", str(tmp_path / "run.v"), str(tmp_path / "zero.v")]) == 1
    told = capsys.readouterr()
    assert "coqc is not installed (on Debian and Ubuntu: apt-get install coq" in told.err
    run, zero = told.out.splitlines()
    assert run.startswith("run.v: Accepted: These 7 updates")
    assert zero == "zero.v: Refused: X[0] has a label other than +1 and -1."
