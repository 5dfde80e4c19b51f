"""What a reader types, and the section that comes first: by rules, and by a table of searches."""

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest
from notes_site import npm, terms

ROOT = Path(__file__).parent.parent.parent
TABLE = Path(__file__).with_name("searches.csv")
LANGUAGES = {"en": "en", "zh": "zh_CN"}
ASK = """
import { readFileSync } from "node:fs";
const [script, texts] = process.argv.slice(1);
const { Search } = await import(script);
globalThis.window = {};
(0, eval)(readFileSync(texts, "utf8"));
const search = new Search(window.TEXTS, window.WORDS);
const short = ({ address }) => address.replace(/^(\\.\\.\\/)?book\\/|\\.html/g, "");
const answers = JSON.parse(readFileSync(0)).map((query) => {
  const { told, hits } = search.answer(query);
  return { told: JSON.stringify(told), places: hits.map(short) };
});
console.log(JSON.stringify(answers));
"""


@pytest.fixture(params=LANGUAGES)
def ask(request, site):
    """A language, and a function that searches its site for many texts."""
    texts = site / {"en": ".", "zh": "zh"}[request.param] / "_static/texts.js"
    node, _ = npm.commands()
    script = ROOT / "book/_ext/notes_site/scripts/ranking.js"
    command = [*node, "--input-type=module", "-e", ASK, script.as_uri(), str(texts)]

    def answers(queries):
        done = subprocess.run(
            command, input=json.dumps(queries), capture_output=True, text=True, check=True
        )
        return dict(zip(queries, json.loads(done.stdout), strict=True))

    return request.param, answers


def test_the_right_section_comes_first(ask):
    language, answers = ask
    with TABLE.open(encoding="utf-8", newline="") as table:
        first = {
            row["query"]: row["first"].split("|")
            for row in csv.DictReader(table)
            if row["language"] == language
        }
    found = answers([*first])
    wrong = {
        query: one["places"][:3]
        for query, one in found.items()
        if (one["places"] or [""])[0] not in first[query]
    }
    assert not wrong


def test_a_word_of_other_books_leads_where_ours_does_and_is_told(ask):
    language, answers = ask
    rows = [row for row in terms.rows(LANGUAGES[language]) if row["english"][0] != "("]
    searched = [row for row in rows if language == "en" or row["pinyin"]]
    others = {word: row["ours"] for row in searched for word in terms.also(row)}
    found = answers([*others, *others.values()])
    for word, ours in others.items():
        there, here = found[word]["places"], found[ours]["places"]
        assert {*there} & {*here[:3]} or not here, word
        assert ours in found[word]["told"] or there == here, word  # a plural is no other word


def test_a_term_finds_its_entry_and_the_glossary_as_a_whole_is_no_answer(ask):
    _, answers = ask
    glossary = (ROOT / "book/glossary.md").read_text("utf-8").partition("```{glossary}")[2]
    words = re.findall(r"^(\S.*)\n  ", glossary, re.MULTILINE)
    found = answers([re.sub(r" \(.*", "", word) for word in words])
    for word, one in found.items():
        entry = "glossary#term-" + re.sub(r"\W+", "-", word)
        assert any(place.startswith(entry) for place in one["places"][:4]), word
        assert "glossary" not in one["places"]
