"""Sequences: Viterbi against all sequences one by one, and the same run, proof and ledger."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import WHOLE, rng, some

from perceptron_notes import at_random, certify, last, ledger, separate
from perceptron_notes.convergence import Obstruction
from perceptron_notes.model import signed_scores
from perceptron_notes.multiclass import kesler, leads, multi_mistakes, multi_pla, unfold
from perceptron_notes.sequences import Sentences, little_english, viterbi

FISH = Sentences([["fish", "swim"], ["fish", "fish"]], ["NV", "VN"])


def path_score(node, edge, tags):
    return sum(node[t][k] for t, k in enumerate(tags)) + sum(edge[j][k] for j, k in pairwise(tags))


def drawn(chance, n=3, K=2, V=2, L=3):
    """Random sentences with random tags: mostly, no weights suit them all."""
    lengths = chance.integers(1, L + 1, size=n)
    words = [chance.integers(V, size=m).tolist() for m in lengths]
    tags = [chance.integers(K, size=m).tolist() for m in lengths]
    return Sentences(words, tags, range(V), range(K))


@given(data=st.data())
def test_viterbi_finds_the_first_of_the_best_of_all_sequences(data):
    L, K = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    node = data.draw(arrays(np.float64, (L, K), elements=WHOLE))
    edge = data.draw(arrays(np.float64, (K, K), elements=WHOLE))
    # `max` keeps the first of several, and `product` goes through them as a dictionary does.
    every = list(product(range(K), repeat=L))
    assert viterbi(node, edge) == max(every, key=lambda tags: path_score(node, edge, tags))
    if K > 1:
        avoid = data.draw(st.sampled_from(every))
        others = [tags for tags in every if tags != avoid]
        wanted = max(others, key=lambda tags: path_score(node, edge, tags))
        assert viterbi(node, edge, avoid) == wanted


def test_viterbi_refuses_what_does_not_fit():
    refuses(ValueError, "node has shape (2,)", viterbi, [1, 2], [[1]])
    refuses(ValueError, "edge (1, 1); expected L×K, K×K", viterbi, [[1, 2]], [[1]])
    refuses(ValueError, "expected 1 tags, each 0 … 1", viterbi, [[1, 2]], np.eye(2), (0, 1))
    refuses(ValueError, "with one tag there is no other", viterbi, [[1]], [[0]], (0,))


@given(seed=st.integers(0, 9999))
def test_leads_and_the_strongest_rival_are_those_of_brute_force(seed):
    data = drawn(rng(seed), K=3)
    w = rng(seed).integers(-2, 3, (2 + 2 + 3, 3)).astype(float)
    wanted = []
    for i in range(data.n):
        score = {tags: (w * data.features(i, tags)).sum() for tags in data.rivals(i)}
        assert data.strongest(w, i) == max(score, key=score.get)
        wanted.append((w * data.features(i, data.y[i])).sum() - max(score.values()))
    assert leads(w, data).tolist() == wanted
    assert multi_mistakes(w, data).tolist() == [i for i, lead in enumerate(wanted) if lead <= 0]
    vectors = kesler(data)
    assert vectors.n == sum(3 ** len(text) - 1 for text in data.words)
    assert min(signed_scores(w.ravel(), vectors)) == min(wanted)


def test_the_ledger_holds_on_hundreds_of_random_tasks():
    apart = 0
    for seed in range(some(400)):
        data = drawn(rng(seed), n=1 + seed % 3, V=3)
        vectors = kesler(data)
        answer = separate(vectors)
        assert answer.verify(vectors)
        if isinstance(answer, Obstruction):
            assert last(multi_pla(data), at_most=60).t == 60
            continue
        run = multi_pla(data, at_random(rng(seed))) if seed % 2 else multi_pla(data)
        for every in (True, False):
            trace = unfold(run, every=every)
            book = ledger(certify(trace.data, answer), trace)
            assert book.holds, book.failure
            assert book.rounding is None
        apart += 1
    assert apart > some(100)


def test_sentences_are_values():
    assert FISH[:1].words == [("fish", "swim")]
    assert FISH[:1].vocabulary == ("fish", "swim")
    assert FISH[:1] != FISH
    assert FISH.tags == [("N", "V"), ("V", "N")]
    assert (len(FISH), repr(FISH)) == (2, "Sentences(n=2: 2 words, 2 tags)")
    with pytest.raises(AttributeError, match="read-only"):
        FISH.words = []


def test_bad_sentences_are_refused():
    for error, words, *arguments in (
        (ValueError, "tags is empty", [["a"]], []),
        (ValueError, "words has length 1 and tags 2", [["a"]], ["N", "V"]),
        (ValueError, "words[0] has length 2 and tags[0] 1", [["a", "b"]], ["N"]),
        (ValueError, "words[1] is empty", [["a"], []], ["N", ""]),
        (ValueError, "words[0] is 'a'", [["a"]], ["N"], ["b"], "NV"),
        (ValueError, "tags are all 'N'", [["a"]], ["N"]),
        (TypeError, "words is 3", 3, []),
        (TypeError, "words[0] is 3", [3], ["N"]),
    ):
        refuses(error, words, Sentences, *arguments)
    refuses(ValueError, "n is 0", little_english, 0, rng=rng())


def test_a_sentence_is_a_pair_of_words_and_tags():
    data = Sentences(["ab", "cd", "a"], ["NV", "VN", "N"])
    pairs = [(("a", "b"), ("N", "V")), (("c", "d"), ("V", "N")), (("a",), ("N",))]
    assert list(data) == pairs
    assert [data[i] for i in range(3)] == pairs
    assert data[-1] == pairs[2]
    for rows in ([2, 0], np.array([2, 0]), slice(None, None, -2)):
        assert list(data[rows]) == [pairs[2], pairs[0]]
        assert data[rows].vocabulary == data.vocabulary
    assert list(data[data.n * [True]]) == pairs
    with pytest.raises(IndexError):
        data[3]
