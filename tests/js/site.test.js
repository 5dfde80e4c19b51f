import assert from "node:assert/strict";
import { test } from "node:test";

import { excerpt, pieces } from "../../book/_ext/notes_site/scripts/excerpts.js";
import { Search } from "../../book/_ext/notes_site/scripts/ranking.js";

test("every other part of a text is a word that was found", () => {
  assert.deepEqual(pieces("The margin, and Margins", ["margin"]), ["The ", "margin", ", and ", "Margin", "s"]);
  assert.deepEqual(pieces("w=1 (w)", ["(w", "w=1"]), ["", "w=1", " ", "(w", ")"]);
  assert.deepEqual(pieces("demargin", ["margin"]), ["demargin"]); // not within a word
  assert.deepEqual(pieces("点的间隔", ["间隔"]), ["点的", "间隔", ""]);
  assert.deepEqual(pieces("the VC 维 and one-against-one", ["vc维", "one against"]), ["the ", "VC 维", " and ", "one-against", "-one"]);
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

const chapter = (at, title, text, ...bold) => [`book/${at}.html`, title, title, text, bold];
const english = new Search([
  chapter("1#score", "A score", "A score is a weighted sum. The bias is one of its weights.", "score", "bias"),
  chapter("2#alone", "Rules", "A learning rate of 1. The learning rate drops out, and it is a rate."),
  chapter("2#rate", "The learning rate", "It scales the weights."),
  chapter("2#exercises", "Exercises", "Scores, scores, scores, and scores, with a bias and without."),
  chapter("7", "Margins: the widest street", "The scores of photocells."),
  ["book/glossary.html#term-margin", "Glossary", "margin", "The smallest score.", []],
  ["book/glossary.html", "Glossary", "Glossary", "margin The smallest score. bias learning rate", []],
], {
  terms: [["bias", ["intercept"], [], [], ""], ["learning rate", ["step size"], ["decay"], [], ""], ["margin", ["gap"], [], [], ""]],
  asking: ["what is", "the", "how do I choose"],
});
const chinese = new Search([
  chapter("1#score", "得分", "**得分**（score）等于权重与特征的内积。感知机按得分的正负号判定。", "得分"),
  chapter("3#proof", "收敛定理", "感知机在线性可分的数据上必定停止。"),
  chapter("5#kernels", "核函数", "VC 维与核函数。"),
  ["../book/7.html", "7. Margins", "Margins", "", []],
], {
  terms: [["权重", ["权值"], ["参数"], ["weight", "quan zhong"], ""], ["支持向量机", ["SVM"], [], [], "../book/7.html"], ["感知机", ["感知器"], [], [], ""]],
  asking: ["怎么办", "是什么", "为什么"],
  small: ["的", "会"],
  signs: ["機机", "斂敛"],
});
/** What comes first, and how it is told. */
const first = (search, query) => [search.answer(query).hits[0]?.address.replace(/^book\/|\.html/g, ""), ...search.answer(query).told.map(([, { ours }]) => ours)];

for (const [query, ...answer] of [
  ["score", "1#score"], // what introduces a word, before what repeats it
  ["margin", "7"], ["Margins", "7"], ["marg", "7"], // a page on it; as one types
  ["learning rate", "2#rate"], ["learning rates", "2#rate"], // as a title, before it is a phrase in a text
  ["what is the learning rate?", "2#rate"], ["how do I choose the learning rate", "2#rate"],
  ["intercept", "1#score", "bias"], ["step size", "2#rate", "learning rate"], ["decay", "2#rate", "learning rate"],
  ["photcells", "7", "“photocells”"], ["lerning rate", "2#rate", "“learning rate”"], // mistyped
  ["weights bias", "1#score"], ["zebra bias", "1#score", "“bias”"], // pieces
  ["zebra", undefined], ["zebra rules", undefined], // nothing, and no crumbs of it
]) test(`the search for ${query}`, () => assert.deepEqual(first(english, query), answer));

for (const [query, ...answer] of [
  ["得分", "1#score"], ["权值", "1#score", "权重"], ["参数", "1#score", "权重"], ["quan zhong", "1#score"], ["weight", "1#score"],
  ["感知機", "3#proof"], ["线性可分怎么办", "3#proof"], ["VC维", "5#kernels"],
  ["感知机为什么会停止", "3#proof", "“感知机”“停止”"], ["卷积", undefined], ["分", "1#score"], ["与", undefined],
  ["SVM", "../book/7", "支持向量机"],
]) test(`the search for ${query}`, () => assert.deepEqual(first(chinese, query), answer));
