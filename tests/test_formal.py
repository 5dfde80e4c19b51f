"""Runs put to the proof assistant: what it accepts, what it refuses, and where."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perceptron_notes import (
    Dataset,
    Obstruction,
    at_random,
    certify,
    halfspaces,
    iris,
    ledger,
    li_hang,
    lowest,
    pla,
    record,
    separate,
    xor,
)
from perceptron_notes.formal import claims, coq, export, plain, verify
from perceptron_notes.grading.command import main

ROOT = Path(__file__).parent.parent
PROOFS = {part: (ROOT / f"perceptron_notes/formal/{part}.v").read_text() for part in coq.LIBRARY}
#: `make proof` and CI put as many runs to Coq as the book says; `make test` a tenth of them.
FULL = bool(os.environ.get("PROOF")) or os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def library():
    """A folder with the compiled proofs."""
    if lack := coq.missing():
        sentence = f"{lack}; these tests were not run, and `make proof` runs them"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(sentence)
    with coq.library() as folder:
        yield folder


def asked(some, folder):
    """The checker's answers to many claims at once, without a theorem for each."""
    parts = ["From Perceptron Require Import Checker."]
    for k, claim in enumerate(some):
        body = claim.text().partition("Import Checker.")[2].partition("Theorem checked")[0]
        parts.append(f"Module M{k}.\n{body}\nEnd M{k}.")
    (folder / "Many.v").write_text("\n".join(parts), encoding="utf-8")
    done = coq.coq("coqc", "Many.v", folder=folder)
    assert done.returncode == 0, done.stderr
    return coq.answers(done.stdout)


def claim_of(data, rate=1.0, w0=None, pick=None, at_most=2000):
    """What is claimed of data: of a run if something separates them, else of an obstruction."""
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


def forgeries(claim, rng):
    """The claim with one thing changed, in each way that makes it false."""
    i = int(rng.integers(len(claim.labels)))
    labels = [-y if k == i else y for k, y in enumerate(claim.labels)]
    if isinstance(claim, claims.ClaimedObstruction):
        i = next(k for k, often in enumerate(claim.multipliers) if often)
        more = [often + (k == i) for k, often in enumerate(claim.multipliers)]
        yield "Refused_sum", replace(claim, multipliers=more)
        less = [-1 if k == i else often for k, often in enumerate(claim.multipliers)]
        yield f"Refused_multiplier {i}", replace(claim, multipliers=less)
        return
    yield f"Refused_separator {i}", replace(claim, labels=labels)
    yield "Refused_limit", replace(claim, limit=claim.limit - 1)
    yield "Refused_rate", replace(claim, rate=0)
    if claim.picks:
        t = int(rng.integers(len(claim.picks)))
        weights = [list(w) for w in claim.weights]
        weights[t][0] += 1
        yield f"Refused_weights {t + 1}", replace(claim, weights=weights)
        picks = list(claim.picks)
        picks[t] = len(claim.samples)
        yield f"Refused_pick {t + 1}", replace(claim, picks=picks)
    if claim.picks and claim.ended:
        shorter = {"picks": claim.picks[:-1], "weights": claim.weights[:-1]}
        i = next(
            n
            for n, (x, y) in enumerate(zip(claim.samples, claim.labels, strict=True))
            if y * plain.dot([claim.start, *claim.weights][-2], x) <= 0
        )
        yield f"Refused_end {i}", replace(claim, **shorter)


def prose(page):
    """The text of a page of the book."""
    cells = json.loads((ROOT / f"book/{page}.ipynb").read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


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
        "thm-conv-bounded",  # cited there, not proved
        "cor-conv-cycle",  # follows from it
    }
    table = re.findall(r"^\| \{prf:ref\}`([\w-]+)`.* \| `(\w+)` \|$", prose("formal"), re.M)
    assert sorted(name for _, name in table) == sorted(twins)
    assert all(label.replace("-", "_") == name for label, name in table)


def test_a_proof_rests_on_no_axioms(library, tmp_path):
    export(book(li_hang()), tmp_path / "run.v")
    assert verify(tmp_path / "run.v", recheck=FULL).accepted


# ------------------------------------------------------------------------ true and forged


def test_what_is_true_is_accepted(library):
    rng = np.random.default_rng(1)
    some = [some_claim(rng) for _ in range(200 if FULL else 20)]
    kinds = {type(claim) for claim in some}
    assert kinds == {claims.ClaimedRun, claims.ClaimedObstruction}
    assert asked(some, library) == ["Accepted"] * len(some)


def test_a_long_run_in_twenty_coordinates_is_accepted(library):
    rng = np.random.default_rng(3)
    data = halfspaces(300, 19, distance=2**-12, rng=rng)
    claim = claim_of(data, pick=at_random(rng), at_most=2000 if FULL else 100)
    assert len(claim.picks) >= (400 if FULL else 100)
    assert next(coq.check([claim])).sentence == f"Proved: {claim}"


def test_what_is_forged_is_refused_at_the_right_place(library):
    rng = np.random.default_rng(2)
    forged = []
    while len(forged) < (200 if FULL else 30):
        forged += forgeries(some_claim(rng, 6), rng)
    expected, some = zip(*forged, strict=True)
    assert {word.partition(" ")[0] for word in expected} >= set(coq.REASONS) - {
        "Refused_label",
        "Refused_length",
    }
    assert [plain.verdict(claim) for claim in some] == list(expected)
    assert asked(some, library) == list(expected)


def test_three_checkers_agree(library):
    """The proved one, the plain one, and the ledger, on true and on forged runs."""
    rng = np.random.default_rng(4)
    some, held = [], []
    while len(some) < (1000 if FULL else 60):
        data = Dataset(rng.integers(-2, 3, (4, 2)), rng.choice([-1, 1], 4))
        found = separate(data)
        if isinstance(found, Obstruction):
            continue
        trace, T = record(pla(data, lowest)), 0
        W, picks = trace.W.copy(), trace.picks.copy()
        if trace.updates and rng.integers(3):
            T = int(rng.integers(trace.updates))
            if rng.integers(2):
                picks[T] = rng.integers(4)
            else:
                W[T + 1, rng.integers(3)] += rng.integers(-1, 2)
        audited = ledger(certify(data, found), replace(trace, W=W, picks=picks))
        some.append(claims.of_ledger(audited))
        held.append(audited.holds)
    answers = asked(some, library)
    assert answers == [plain.verdict(claim) for claim in some]
    assert [answer == "Accepted" for answer in answers] == held
    assert 0.2 < np.mean(held) < 0.9


def test_every_refusal_can_be_met(library):
    claim = claim_of(li_hang())
    wrong = [
        replace(claim, labels=[1, 2, -1]),
        replace(claim, R2=25),
        replace(claim, R2=0),
        replace(claim, m=0),
        replace(claim, m=3),
    ]
    expected = [
        "Refused_label 1",
        "Refused_length 1",
        "Refused_length 0",
        "Refused_separator 0",
        "Refused_separator 0",
    ]
    assert [plain.verdict(one) for one in wrong] == expected
    assert asked(wrong, library) == expected


def test_the_book_shows_what_the_command_says(library, tmp_path, capsys):
    transcript = prose("formal").partition("$ perceptron-notes ")[2].partition("```")[0]
    command, *shown = transcript.splitlines()
    example = claims.of_ledger(book(li_hang()))
    forged = replace(example, picks=[*example.picks[:5], 0, *example.picks[6:]])
    flowers = claims.of_ledger(book(iris("setosa", "versicolor")))
    for name, claim in zip(command.split()[-3:], (example, flowers, forged), strict=True):
        (tmp_path / name).write_text(claim.text(), encoding="utf-8")
    main(["verify", "--quick", *(str(tmp_path / name) for name in command.split()[-3:])])
    assert " ".join(capsys.readouterr().out.split()) == " ".join(" ".join(shown).split())


# ------------------------------------------------------------------------- real data, floats


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
    assert claims.read(claim.text()) == claim


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
    with pytest.raises(ValueError, match=r"run\.v is no file that export has written"):
        verify(tmp_path / "run.v")


def test_what_cannot_be_exported_is_named(tmp_path):
    with pytest.raises(TypeError, match="proof is a Dataset; expected a Ledger or an Obstruction"):
        export(xor(), tmp_path / "x.v")
    with pytest.raises(TypeError, match="an Obstruction needs its data"):
        export(separate(xor()), tmp_path / "x.v")
    with pytest.raises(ValueError, match="proof is about sample 3; data has 3, so it is other"):
        export(separate(xor()), tmp_path / "x.v", li_hang())
    audited = book(li_hang())
    W = audited.trace.W.copy()
    W[3, 1] = np.nan
    broken = ledger(audited.certificate, replace(audited.trace, W=W))
    with pytest.raises(ValueError, match=r"W\[3\] is .*nan.*; Coq is given whole numbers"):
        export(broken, tmp_path / "x.v")
    assert not (tmp_path / "x.v").exists()


# -------------------------------------------------------------------------------- the command


def test_the_command_says_what_was_proved_and_what_was_not(library, tmp_path, capsys):
    export(book(li_hang()), tmp_path / "run.v")
    export(separate(xor()), tmp_path / "xor.v", xor())
    claim = claims.read((tmp_path / "run.v").read_text("utf-8"))
    forged = replace(claim, picks=[0, 2, 2, 2, 0, 0, 2])
    (tmp_path / "forged.v").write_text(forged.text(), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("run.v", "xor.v", "forged.v")]
    assert main(["verify", "--quick", *files]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("run.v: Proved: These 7 updates are a run of PLA on these 3 samples")
    assert told[1].startswith("xor.v: Proved: No weights separate these 4 samples")
    assert told[2] == "forged.v: Refused: update 6 corrects what is no mistake."


def test_a_coq_that_fails_is_told_in_a_sentence(tmp_path, capsys, monkeypatch):
    export(book(li_hang()), tmp_path / "run.v")
    broken = tmp_path / "coqc"
    broken.write_text("#!/bin/sh\necho out of order >&2\nexit 3\n", "utf-8")
    broken.chmod(0o755)
    (tmp_path / "coqchk").symlink_to(broken)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert main(["verify", "--quick", str(tmp_path / "run.v")]) == 1
    assert "nothing more is proved" in capsys.readouterr().err


def test_one_update_is_told_in_the_singular():
    one = Dataset([[1.0]], [1])
    assert str(claim_of(one)).startswith("This update is a run of PLA on these 1 samples")


def test_without_coq_the_command_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    export(book(li_hang()), tmp_path / "run.v")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["verify", str(tmp_path / "run.v")]) == 1
    told = capsys.readouterr()
    assert "coqc is not installed (on Debian and Ubuntu: apt-get install coq" in told.err
    assert "run.v: Accepted. These 7 updates" in told.out
