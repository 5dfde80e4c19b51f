"""The sentences of a report: `words.csv` has each in English and in other languages, by its key."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

with Path(__file__).with_name("words.csv").open(encoding="utf-8", newline="") as _lines:
    _ROWS = list(csv.DictReader(_lines))
#: The sentences of each language, by key; what has no translation is in English.
LANGUAGES = {name: {row["key"]: row[name] or row["en"] for row in _ROWS} for name in ("en", "zh")}
_HAN = "[\u3001-\u9fff\uff01-\uffee“”]"


class Said(str):
    """An English sentence, text like any other, that remembers its key and what fills its slots."""

    key: str
    slots: Mapping[str, Any]


def say(key: str, **slots: Any) -> Said:
    """Return a sentence with its slots filled: by text, numbers, sentences, or lists of these."""
    said = Said(_filled(key, slots, "en"))
    said.key, said.slots = key, slots
    return said


def told(value: Any, language: str) -> Any:
    """Return a sentence in this language, also inside lists and tuples; all else as it is."""
    if isinstance(value, list | tuple):
        items = [told(item, language) for item in value]
        return items if isinstance(value, list) else tuple.__new__(type(value), items)
    if isinstance(value, Said) and language != "en":
        return _filled(value.key, value.slots, language)
    return value


def _filled(key: str, slots: Mapping[str, Any], language: str) -> str:
    sentence, values = LANGUAGES[language][key], dict[str, Any]()
    for name, value in slots.items():
        values[name] = told(value, language)
        if isinstance(value, list):
            values[name] = LANGUAGES[language]["between"].join(map(str, values[name]))
        # Between Chinese and Chinese, or its punctuation, there is no space.
        if re.match(_HAN, text := str(values[name])):
            sentence = re.sub(rf"(?<={_HAN}) (?={{{name}\b)", "", sentence)
        if re.search(f"{_HAN}$", text):
            sentence = re.sub(rf"({{{name}\b[^}}]*}}) (?={_HAN})", r"\1", sentence)
    return sentence.format(**values)


def counted(k: int, what: str) -> Said:
    """Return a count and its noun, such as "3 rows"."""
    return say(what if k == 1 else f"{what}s", k=k)


def some(items: Sequence[str], most: int = 10) -> str:
    """Return items as a list in words, at most so many of them."""
    if len(items) > most:
        return say("more", first=list(items[:most]), k=len(items) - most)
    return listed(items)


def listed(items: Sequence[str]) -> str:
    """Return items as a list in words, with "and" before the last."""
    if len(items) < 2:
        return items[0] if items else ""
    return say("and", first=list(items[:-1]), last=items[-1])
