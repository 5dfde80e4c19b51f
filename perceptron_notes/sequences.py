r"""Chapter 8, answers that are sequences: a tag for each word, found by Viterbi's algorithm.

`Sentences` are a `Contest` whose answers are whole sequences of tags. There are exponentially
many rivals, and `viterbi` finds the strongest of them in a few additions for each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import (
    check_count,
    check_kind,
    check_names,
    check_rng,
    check_several,
    listing,
    real_array,
)
from perceptron_notes._kit.values import Array, Labels, by_value
from perceptron_notes.multiclass import Contest, check_shape

__all__ = ["Sentences", "best_path", "decode", "little_english", "viterbi"]

Tags = tuple[int, ...]

#: The words of `little_english` for each tag: determiner, adjective, noun, verb. Some occur
#: under two tags, and one under three.
_WORDS = {
    "D": ["the", "my"],
    "A": ["old", "light", "small"],
    "N": ["old", "light", "man", "fish", "boat", "dog"],
    "V": ["man", "fish", "light", "sees", "likes"],
}


def viterbi(node: npt.ArrayLike, edge: npt.ArrayLike, avoid: Sequence[int] | None = None) -> Tags:
    r"""Find the tags :math:`k_1, \dots, k_L` with the largest score, or the best except `avoid`.

    The score is :math:`\sum_t \mathit{node}_{t,k_t} + \sum_t \mathit{edge}_{k_t,k_{t+1}}`. From
    the last position to the first, ``best[t, k]`` is the largest score of the tags from t on
    that begin with tag k, and ``other[t, k]`` is the same for those that differ from `avoid`
    there or later. Then the tags are read off from the first position to the last. This takes about
    :math:`LK^2` additions, though there are :math:`K^L` sequences.

    Parameters
    ----------
    node : array_like, shape (L, K)
        The score of tag k at position t.
    edge : array_like, shape (K, K)
        The score of tag j right after tag i.
    avoid : sequence of L tags, optional
        A sequence to leave out.

    Returns
    -------
    tuple of int, length L
        Of several best sequences the first, in lexicographic order, if no sum was rounded.

    References
    ----------
    Viterbi, A. J., "Error bounds for convolutional codes and an asymptotically optimum
    decoding algorithm", *IEEE Transactions on Information Theory* 13, 1967.

    Examples
    --------
    >>> viterbi([[1, 0], [1, 0], [0, 3]], [[0, -3], [0, 0]])
    (1, 1, 1)
    >>> viterbi([[1, 0], [1, 0], [0, 3]], [[0, -3], [0, 0]], avoid=(1, 1, 1))
    (0, 0, 0)
    """
    node, edge = real_array(node, "node"), real_array(edge, "edge")
    if node.ndim != 2 or 0 in node.shape or edge.shape != 2 * node.shape[1:]:
        raise ValueError(f"node has shape {node.shape} and edge {edge.shape}; expected L×K, K×K")
    if avoid is not None:
        avoid = check_several(avoid, "avoid", "a tag for each place")
        _check_tags(avoid, *node.shape)
    return best_path(node, edge, avoid)


def best_path(node: Array, edge: Array, avoid: Sequence[int] | None) -> Tags:
    """The algorithm itself: score what is ahead from the back, then choose from the front."""
    best, other = node.copy(), node.copy()
    for t in reversed(range(len(node))):
        if t + 1 < len(node):
            best[t] += (edge + best[t + 1]).max(axis=1)
        other[t] = best[t]
        if avoid is not None:  # to differ later, if not here
            k = avoid[t]
            later = (edge[k] + other[t + 1]).max() if t + 1 < len(node) else -np.inf
            other[t, k] = node[t, k] + later
    tags: list[int] = []
    for t in range(len(node)):
        ahead = other[t] if not tags else edge[tags[-1]] + other[t]
        tags.append(int(ahead.argmax()))
        if avoid is not None and tags[t] != avoid[t]:
            other, avoid = best, None
    return tuple(tags)


def _check_tags(tags: Sequence[int], L: int, K: int) -> None:
    """Raise ValueError unless these are L tags that have a rival."""
    if len(tags) != L or any(not 0 <= check_count(k, "avoid") < K for k in tags):
        raise ValueError(f"avoid is {tags!r}; expected {L} tags, each 0 … {K - 1}")
    if K == 1:
        raise ValueError(f"avoid is {tags!r}; with one tag there is no other sequence")


@by_value
class Sentences(Contest):
    r"""Sentences with a tag for each word; an answer is a whole sequence of tags.

    The joint features are counts: how often each word has each tag, which tag comes first, which
    comes last, and how often each tag follows each tag. So weights are a matrix with a column for
    each tag, and the score of an answer is a sum along the sentence, as `viterbi` needs it. Their
    shape is (V + 2 + K, K): row v belongs to word v, row V to the first position, row V + 1 to the
    last, and row V + 2 + j to whatever follows tag j.

    Parameters
    ----------
    words : sequence of sequences
        The words of each sentence; anything that can be hashed.
    tags : sequence of sequences
        The tag of each word.
    vocabulary, names : sequence, optional
        The words and the tags, in the order of their numbers; those that occur, sorted, if left
        out.

    Attributes
    ----------
    words : list of tuples
        The sentences.
    y : list of tuples
        The right answers, as numbers of tags.
    vocabulary, names : tuple
        The V words and the K tags.

    Examples
    --------
    >>> data = Sentences([["fish", "swim"], ["fish", "fish"]], ["NV", "VN"])
    >>> data
    Sentences(n=2: 2 words, 2 tags)
    >>> data.features(0, (0, 1)).astype(int).tolist()
    [[1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [0, 0]]
    """

    __slots__ = ("_numbers", "n", "names", "vocabulary", "words", "y")
    __match_args__ = ("words", "tags", "vocabulary", "names")

    words: list[tuple[Any, ...]]
    y: list[Tags]
    vocabulary: tuple[Any, ...]
    names: tuple[Any, ...]
    _numbers: list[Labels]

    def __init__(
        self,
        words: Iterable[Iterable[Any]],
        tags: Iterable[Iterable[Any]],
        vocabulary: Iterable[Any] | None = None,
        names: Iterable[Any] | None = None,
    ) -> None:
        texts, answers = _rows_of(words, "words"), _rows_of(tags, "tags")
        if len(texts) != len(answers):
            raise ValueError(f"words has length {len(texts)} and tags {len(answers)}")
        for i, (text, answer) in enumerate(zip(texts, answers, strict=True)):
            if len(text) != len(answer):
                raise ValueError(f"words[{i}] has length {len(text)} and tags[{i}] {len(answer)}")
        every = [word for text in texts for word in text]
        given = [tag for answer in answers for tag in answer]
        numbers, vocabulary = check_names(every, len(every), vocabulary, "words", "vocabulary", 1)
        y, names = check_names(given, len(given), names, "tags")
        ends = np.cumsum([len(text) for text in texts])[:-1]
        fields = {"words": texts, "vocabulary": vocabulary, "names": names, "n": len(texts)}
        fields["_numbers"] = np.split(numbers, ends)
        fields["y"] = [tuple(part.tolist()) for part in np.split(y, ends)]
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"Sentences are read-only; make new ones to change their {name}")

    __delattr__ = __setattr__

    @property
    def tags(self) -> list[tuple[Any, ...]]:
        """The right answers, as names of tags."""
        return [tuple(self.names[k] for k in answer) for answer in self.y]

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, k: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]: ...
    @overload
    def __getitem__(self, k: slice | npt.NDArray[Any] | Sequence[int]) -> Sentences: ...
    def __getitem__(self, k: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | Sentences:
        tags = self.tags
        if isinstance(k, int | np.integer) and not isinstance(k, bool):
            return self.words[k], tags[k]
        some = np.arange(self.n)[k].tolist()
        words = [self.words[i] for i in some]
        return Sentences(words, [tags[i] for i in some], self.vocabulary, self.names)

    def __iter__(self) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        return zip(self.words, self.tags, strict=True)

    def __repr__(self) -> str:
        return f"Sentences(n={self.n}: {len(self.vocabulary)} words, {len(self.names)} tags)"

    def features(self, i: int, answer: Sequence[int]) -> Array:
        """Count words with tags, the first and the last tag, and neighbours."""
        V, K = len(self.vocabulary), len(self.names)
        phi, k = np.zeros((V + 2 + K, K)), np.asarray(answer)
        rows = np.concatenate([self._numbers[i], [V, V + 1], V + 2 + k[:-1]])
        np.add.at(phi, (rows, np.concatenate([k, k[[0, -1]], k[1:]])), 1)
        return phi

    def potentials(self, w: Array, i: int) -> tuple[Array, Array]:
        """Return the score of each tag at each position of sentence i, and after each tag."""
        V = len(self.vocabulary)
        node = w[self._numbers[i]]
        node[0] += w[V]
        node[-1] += w[V + 1]
        return node, w[V + 2 :]

    def rivals(self, i: int) -> Iterator[Tags]:
        """Yield all wrong sequences of tags, in lexicographic order."""
        every = product(range(len(self.names)), repeat=len(self.words[i]))
        return (tags for tags in every if tags != self.y[i])

    def strongest(self, w: Array, i: int) -> Tags:
        """Find the best sequence except the right one; of equally good ones the first."""
        return best_path(*self.potentials(w, i), self.y[i])


def _rows_of(values: Any, name: str) -> list[tuple[Any, ...]]:
    """Return sequences, none of them empty, of hashable entries."""
    rows = check_several(values, name, "a sequence of sequences")
    if not rows:
        raise ValueError(f"{name} is empty; expected at least one sentence")
    return [tuple(listing(row, f"{name}[{i}]")) for i, row in enumerate(rows)]


def decode(w: npt.ArrayLike, data: Sentences) -> list[Tags]:
    """Find the best sequence of tags for each sentence; of equally good ones the first.

    Parameters
    ----------
    w : array_like, shape (V + 2 + K, K)
        The weights.
    data : Sentences
        n sentences; their tags are not looked at.

    Returns
    -------
    list of tuples
        Numbers of tags.

    Examples
    --------
    >>> from perceptron_notes.multiclass import multi_pla
    >>> data = Sentences([["fish", "swim"], ["fish", "fish"]], ["NV", "VN"])
    >>> decode(last(multi_pla(data)).w, data)
    [(0, 1), (1, 0)]
    """
    check_kind(data, Sentences, "data", "Sentences(words, tags)")
    w = check_shape(w, data)
    return [best_path(*data.potentials(w, i), None) for i in range(data.n)]


def little_english(n: int, *, rng: np.random.Generator) -> Sentences:
    """Draw sentences like "the old man the light boat": who does what to whom.

    The tags of each are D, perhaps A, N, V, D, perhaps A, N, and a word is drawn for each tag.
    Many words have more than one tag, yet each sentence can be read in only one way.

    Parameters
    ----------
    n : int
        How many sentences.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Sentences
        With the tags D (determiner), A (adjective), N (noun) and V (verb).

    Examples
    --------
    >>> data = little_english(20, rng=np.random.default_rng(1))
    >>> data
    Sentences(n=20: 11 words, 4 tags)
    """
    n, rng = check_count(n, "n", least=1), check_rng(rng)
    words, tags = [], []
    for _ in range(n):
        shape = "D" + "A" * rng.integers(2) + "NVD" + "A" * rng.integers(2) + "N"
        words.append([_WORDS[tag][rng.integers(len(_WORDS[tag]))] for tag in shape])
        tags.append(shape)
    return Sentences(words, tags, sorted({w for some in _WORDS.values() for w in some}), "DANV")
