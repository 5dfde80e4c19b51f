import assert from "node:assert/strict";
import { test } from "node:test";

import { distance, excerpt, pieces } from "../../book/_ext/notes_site/scripts/excerpts.js";

test("every other part of a text is a word that was found", () => {
  assert.deepEqual(pieces("The margin, and Margins", ["margin"]), ["The ", "margin", ", and ", "Margin", "s"]);
  assert.deepEqual(pieces("w=1 (w)", ["(w", "w=1"]), ["", "w=1", " ", "(w", ")"]);
  assert.deepEqual(pieces("demargin", ["margin"]), ["demargin"]); // not within a word
  assert.deepEqual(pieces("点的间隔", ["间隔"]), ["点的", "间隔", ""]);
});

test("an excerpt begins and ends between words, around the first that was found", () => {
  const text = `${"before ".repeat(30)}margin${" after".repeat(60)}`;
  const short = excerpt(text, ["nowhere", "margin"]);
  assert.match(short, /^… before .* margin after .* after …$/);
  assert.ok(short.length < 190);
  assert.equal(excerpt("A margin.", ["margin"]), "A margin.");
  assert.equal(excerpt("Nothing of it.", ["margin"]), "Nothing of it.");
  assert.match(excerpt(`${"甲".repeat(300)}间隔${"乙".repeat(300)}`, ["间隔"]), /^… 甲+间隔乙+ …$/);
});

test("a page on a word is nearest, then what is called so, then titles with it, then texts", () => {
  const far = (address, title, ...fields) => distance({ address, title, match: { margin: fields }, queryTerms: ["margin"] }, "margin");
  const places = [["7.html", "Margins: the widest street", "title"], ["g.html#m", "margin", "title"], ["7.html#two", "Two margins", "title"]];
  assert.deepEqual([...places, ["2.html", "Why", "text"], ["3.html", "Marginal", "page"]].map((one) => far(...one)), [0, 1, 2, 3, 3]);
  assert.equal(distance({ address: "2.html", title: "Why", match: { martin: ["text"] }, queryTerms: ["margin"] }, "margin"), 4);
});
