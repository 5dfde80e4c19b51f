"""Messages from a worker: whatever they are, they are read within bounds or refused."""

import json
import os
import random
from contextlib import suppress

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from perceptron_classroom.inside import calls
from perceptron_classroom.inside.plain import plain_value

#: How many messages `make fuzz` tries, and how many of them are derived from one example.
MESSAGES, TOGETHER = 100_000 if os.environ.get("FUZZ") else 1000, 100

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**62, 2**64, 10**9, -1, 2**999, 2**1001, 10**4000]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "AAAAAAAA", "<f8", "|b1", "|O", "|S9", "PCG64", "\ud800"]),
)
KEYS = st.sampled_from(
    [*("tuple", "array", "dtype", "shape", "items", "fraction", "generator", "opaque", "state")]
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(KEYS, inner, max_size=3),
        st.fixed_dictionaries({"array": inner, "dtype": inner, "shape": inner}),
        st.fixed_dictionaries({"items": st.lists(inner, max_size=4), "shape": inner}),
        st.fixed_dictionaries({"fraction": st.lists(inner, min_size=2, max_size=2)}),
    ),
    max_leaves=12,
)


def places(value):
    """Each list and dictionary in a value, with each key of it."""
    left = [value]
    for each in left:
        keys = each if isinstance(each, dict) else range(len(each))
        for key in keys:
            yield each, key
            if isinstance(each[key], dict | list):
                left.append(each[key])


def offspring(values, chance):
    """A message: one of the values, with parts of the others in it, perhaps torn."""
    whole = json.loads(json.dumps([chance.choice(values)]))
    for _ in range(chance.randrange(4)):
        where, key = chance.choice(list(places(whole)))
        other, part = chance.choice(list(places(values)))
        where[key] = json.loads(json.dumps(other[part]))
    line = bytearray(json.dumps(whole[0]).encode())
    for _ in range(chance.choice([0, 0, 1, 5])):
        line[chance.randrange(len(line))] = chance.randrange(256)
    return bytes(line[: chance.choice([None, None, None, chance.randrange(len(line) + 1)])])


@settings(max_examples=MESSAGES // TOGETHER)
@given(st.lists(VALUES, min_size=1, max_size=8), st.binary(max_size=200), st.integers(0, 2**32))
def test_any_message_is_read_or_refused(values, noise, number):
    chance = random.Random(number)
    for line in [noise, *(offspring(values, chance) for _ in range(TOGETHER - 1))]:
        with suppress(ValueError):
            plain_value(calls.unpack(calls.hear(line)))


@pytest.mark.parametrize(
    "shape",
    [[10**9, 0], [0, 10**9], [10**6, 10**6, 0], [-1], [True], [1.0], ["1"], [1] * 9, None, "x", {}],
    ids=str,
)
def test_a_shape_that_lies_takes_no_memory(shape):
    for message in ({"array": "", "dtype": "<f8"}, {"items": []}):
        with pytest.raises(ValueError, match=r"packed value|hold together"):
            calls.unpack({**message, "shape": shape})


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b"[]," * 10**6, b'"' + b"," * 1_000_001 + b'"', b"9" * 5000, b"{}{}"]
)
def test_crowded_and_bottomless_lines_are_refused(line):
    with pytest.raises(ValueError, match=r"."):
        calls.hear(line)


@pytest.mark.parametrize(
    "nonsense",
    [
        *({}, {"fraction": [1, 0]}, {"array": "!", "dtype": "<f8", "shape": [1]}, {"tuple": 5}),
        *({"array": "", "dtype": "|O", "shape": [0]}, {"generator": {"bit_generator": "PCG64"}}),
        [{"__class__": "os"}],
    ],
    ids=repr,
)
def test_nonsense_is_refused(nonsense):
    with pytest.raises(ValueError, match=r"packed value|hold together"):
        calls.unpack(nonsense)


def test_what_cannot_travel_or_is_too_large_is_named():
    back = calls.unpack(json.loads(json.dumps(calls.pack({"w": 1}))))
    assert (back.kind, back.text) == ("dict", "{'w': 1}")
    for value in (10**4000, [[10**400]] * 2, np.zeros((10**9, 0)), np.zeros(2_000_000)):
        assert "opaque" in json.dumps(calls.pack(value))
    deep = []
    for _ in range(1000):
        deep = [deep]
    calls.unpack(json.loads(json.dumps(calls.pack(deep))))
