// How the search answers, in all languages: sections, best first, and what has to be said of them.
// The whole of what was typed comes first, or our word for it; else what it asks about, without the
// asking; else its pieces, of which the surest must be there; else nothing.
import { escaped } from "./excerpts.js";

/** @typedef {{ address: string, page: string, title: string, text: string, head: string, body: string, less: number }} Section */
/** Our word, for a text that is ours, means the same, is near, or needs no telling, as an English name.
 * @typedef {{ ours: string, kind: "ours" | "same" | "near" | "quiet", home: string }} Word */
/** What is said, as sentences with what stands in their places; what was found; what is marked in it.
 * @typedef {{ told: [string, Record<string, string>][], hits: Section[], marked: string[] }} Answer */

const HAN = /^\p{Script=Han}$/u;
const [BEFORE, AFTER] = ["(?<!\\p{Script=Latin}|')", "(?!\\p{Script=Latin}|')"];
/** Places that use a word rather than say what it is. */
const LESS = /#(exercises|check-yourself|sources|what-you-will|summary|laboratory)|assignments|museum|bibliography|errata|accessibility|teaching|\/sources|\/api|\/index/;

/** A text as it is compared. @param {string} text */
const fold = (text) => text.normalize("NFKC").toLowerCase().replace(/’/g, "'").replace(/(?<=\p{L})[-‐‑–](?=\p{L})/gu, " ")
  .replace(/(?<=\p{L}{2})iz(?=[ei]|ation)/gu, "is").replace(/\b([a-z])_(?=\w)/g, "$1").replace(/\s+/g, " ").replace(/(?<=\p{Script=Han}) | (?=\p{Script=Han})/gu, "").trim();
/** A text whose last word has lost its ending, so that "separating" finds "separation". @param {string} text */
const stem = (text) => text.replace(/(?<=[a-z]{3}[^s\W])s$/, "").replace(/(?<=[a-z]{5})(?:ing|ed|e)$/, "");
/** Finds a word in which one letter, but not the first, is another, too many, missing or in the next one's place.
 * @param {string} word */
const mistyped = (word) => new RegExp(`${BEFORE}(?:${[...word].slice(1).map((sign, i) => {
  const [before, after] = [word.slice(0, i + 1), word.slice(i + 2)];
  return `${before}.?${after}|${before}.${sign}${after}|${before}${after.slice(0, 1)}${sign}${after.slice(1)}`;
}).join("|")})${AFTER}`, "u");

export class Search {
  /** The points of the sections that have a text, if it was asked for. @type {Map<string, Map<Section, number>>} */
  #asked = new Map();
  /** What may be typed → our word. @type {Map<string, Word>} */
  #known = new Map();
  /** The first place with a word in bold introduces it. @type {Map<string, string>} */
  #homes = new Map();
  /** All words, once they are needed. @type {string | undefined} */
  #words;
  #segmenter = new Intl.Segmenter("zh", { granularity: "word" });

  /** @param {[string, string, string, string, string[]][]} texts
   * @param {{ terms: [string, string[], string[], string[], string][], asking: string[], small?: string[], signs?: string[], subject?: string[], chapter?: string[] }} table */
  constructor(texts, { terms, asking, small = [], signs = [], subject = [], chapter = [] }) {
    this.small = small;
    this.subject = subject.map(fold);
    this.simple = new Map(signs.map(([before, ours]) => [before, ours]));
    this.names = new Map(terms.map(([ours]) => [fold(ours), ours]));
    /** The glossary's page, which holds each entry a second time, is found by its name. @type {Section[]} */
    this.sections = texts.map(([address, page, title, text]) => ({
      ...{ address, page, title, text, body: address.endsWith("/glossary.html") ? "" : fold(text), less: LESS.test(address) ? 0.4 : 1 },
      head: fold(title).replace(/(?<=\p{Script=Han})[(（].*/u, "").replace(/^the |^[\d.]+ /, ""),
    }));
    this.#learn(terms, chapter);
    for (const [address, , , , bold] of [...texts].reverse())
      if (!LESS.test(address)) for (const word of bold) this.#homes.set(stem(fold(word)), address);
    const any = asking.sort((a, b) => b.length - a.length).map((one) => (/^[a-z]/i.test(one) ? BEFORE + fold(one) + AFTER : one)).join("|");
    this.begin = new RegExp(`^(?:${any}|[ ?？!！。."“”《》])`, "u");
    this.end = new RegExp(`(?:${any}|[ ?？!！。."“”《》])$`, "u");
  }

  /** Learns what may be typed; of two meanings, the surer one stays.
   * @param {[string, string[], string[], string[], string][]} terms
   * @param {string[]} chapter how a chapter is asked for, with # for its number */
  #learn(terms, chapter) {
    const learn = (/** @type {string} */ typed, /** @type {string} */ ours, /** @type {Word["kind"]} */ kind, home = "") =>
      this.#known.set(stem(fold(typed)), { ours: fold(ours), kind, home });
    for (const { address, head, page } of this.sections) {
      if (address.includes("#term-")) learn(head, head, "ours");
      const asked = !address.includes("#") && /^\d/.test(page) ? chapter.map((one) => one.replace("#", page.split(".")[0])) : [];
      for (const one of asked) learn(one, one, "ours", address);
    }
    for (const kind of /** @type {const} */ (["near", "quiet", "same", "ours"]))
      for (const [ours, same, near, quiet, home] of [...terms].reverse()) // the first of equals stays
        for (const one of { near, quiet, same, ours: [ours] }[kind]) learn(one, ours, kind, home);
  }

  /** @param {string} text */
  our(text) {
    return this.#known.get(stem(text));
  }

  /** The sections that have a text, and the one that introduces it, with points. @param {string} typed */
  whole(typed) {
    const text = stem(typed);
    if (this.#asked.has(text)) return this.#asked.get(text);
    const last = /[a-z']+$/.exec(text)?.[0].length ?? 9; // a short word must be there as a whole
    const end = last < 3 ? AFTER : last < 6 && this.#known.has(text) ? `(?:e|e?s|e?d|ing)?${AFTER}` : "";
    const there = new RegExp((/^[a-z]/.test(text) ? BEFORE : "") + escaped(text) + end, "gu");
    const page = new RegExp(`^${there.source}(?:s|es|e)?(?=$|[:：])`, "u");
    const word = this.#known.get(text);
    const home = (word && stem(word.ours) === text && word.home) || this.#homes.get(text);
    /** @type {Map<Section, number>} */
    const found = new Map();
    for (const one of this.sections) {
      const many = one.body.match(there)?.length ?? 0;
      const at = one.head.search(there);
      if (!many && at < 0 && home !== one.address) continue;
      const same = stem(one.head) === text && (one.address.includes("#term-") ? 70 : one.less < 1 ? 40 : 90);
      const title = !one.address.includes("#") && page.test(one.head) ? 150 : same || (at < 0 ? 0 : one.less * (at ? 24 : 30));
      const introduced = home !== one.address ? 0 : one.text ? 80 : 30; // 30: in English, in another edition
      found.set(one, title + introduced + one.less * (4 * Math.min(many, 5) + (300 * many) / (one.body.length + 400)));
    }
    this.#asked.set(text, found);
    return found;
  }

  /** The pieces of a text: words of the table, the longest first; then other words. @param {string} text */
  pieces(text) {
    /** @type {string[]} */
    const found = [];
    /** What no table knows: 鸢|尾花 is one piece if the book has it; else 后|验|概率 are two. @type {string[]} */
    let loose = [];
    const close = () => {
      const whole = loose.length > 1 && HAN.test(loose[0][0]) && this.whole(loose.join("")).size;
      const words = loose.join(" ").replace(/(?<!\S)(\p{Script=Han}) (?=\p{Script=Han}(?!\S))/gu, "$1").split(" ");
      found.push(...(whole ? [loose.join("")] : words.filter((one) => one && !HAN.test(one))));
      loose = [];
    };
    for (let rest = text, n; rest; rest = rest.slice(n)) {
      for (n = Math.min(rest.length, 40); n > 1; n--)
        if (this.our(rest.slice(0, n)) && !/^[a-z]{2}/.test(rest.slice(n - 1))) break;
      const [{ segment, isWordLike }] = this.#segmenter.segment(rest);
      const asked = n < 2 && this.begin.exec(rest)?.[0];
      const left = asked || !isWordLike || this.small.includes(segment);
      if (n > 1 || left) close();
      if (n > 1) found.push(rest.slice(0, n));
      else if (!left) loose.push(segment);
      n = n > 1 ? n : (asked || segment).length;
    }
    close();
    return [...new Set(found)];
  }

  /** The word that somebody meant who has mistyped it, first of the table. @param {string} word */
  meant(word) {
    this.#words ??= [...this.#known.keys(), ...this.sections.flatMap(({ head, body }) => [head, body])].join(" ");
    return RegExp(BEFORE + stem(word), "u").test(this.#words) ? word : this.#words.match(mistyped(word))?.[0] ?? word;
  }

  /** What answers a text as it stands, or our word for it, or for one that begins so. @param {string} text
   * @returns {Answer | undefined} */
  direct(text) {
    if (!text) return undefined;
    const found = this.whole(text);
    const long = text.length >= (/[a-z]/.test(text) ? 4 : 2);
    const begun = long && !found.size ? [...this.#known].find(([one]) => one.startsWith(text)) : undefined;
    const [typed, word] = this.our(text) ? [text, this.our(text)] : begun ?? [text];
    const here = new Map([...found].filter(([one]) => !HAN.test(text) || ((word ? word.ours === text : !this.small.includes(text)) && one.head.includes(text))));
    if (!word || stem(word.ours) === stem(text)) return here.size ? { told: [], hits: ranked(here), marked: [stem(text)] } : undefined;
    const ours = ranked(this.whole(word.ours));
    const titled = ranked(here).filter((one) => one.text && one.less === 1 && (text.length > 1 || HAN.test(text)) && one.head.includes(text));
    const hits = [...new Set([...titled, ...ours.slice(0, 3), ...ranked(here), ...ours])];
    return hits.length ? { told: this.tell(typed, here.size > 0), hits, marked: [text, word.ours].map(stem) } : undefined;
  }

  /** What is said of our word for another; of a piece, if they are unlike. @param {string} typed
   * @param {boolean} [here] whether the other is found, too
   * @returns {Answer["told"]} */
  tell(typed, here) {
    const { ours, kind } = this.our(typed) ?? { kind: "ours" };
    if (kind === "quiet" || kind === "ours") return [];
    const within = ours.includes(stem(typed)) || typed.includes(ours);
    if (within && here === undefined) return [];
    const also = within && here ? "“{ours}” was looked for, too." : "“{typed}” is called “{ours}” here.";
    return [[kind === "near" ? "Near “{typed}”, this book has “{ours}”." : also, { typed, ours: this.names.get(ours) }]];
  }

  /** The sections with the surest piece, a word of the table, or the rarest; the others add to it. @param {string[]} parts */
  apart(parts) {
    const forms = parts.map((one) => (this.our(one)?.kind === "near" ? [this.our(one).ours] : [one, this.our(one)?.ours ?? one]));
    const has = forms.map((list) => list.map((one) => this.whole(one)));
    // What the whole book is about counts less beside another word of the table.
    const about = (/** @type {string} */ one) => this.subject.includes(this.our(one)?.ours);
    const others = parts.some((one) => this.our(one) && !about(one));
    const rare = has.map((list, j) => Math.log(1 + this.sections.length / Math.max(...list.map(({ size }) => size)))
      / (others && about(parts[j]) ? 3 : 1));
    const sure = rare.map((n, j) => n * (this.our(parts[j]) ? 9 : 1));
    const first = sure.indexOf(Math.max(...sure));
    const found = new Map();
    for (const one of this.sections) {
      const points = has.map((list) => Math.max(...list.map((sections) => sections.get(one) ?? 0)));
      const sum = points.reduce((all, n, j) => all + rare[j] ** 2 * Math.min(n, 100), 0);
      if (points[first]) found.set(one, sum * points.reduce((all, n, j) => all + (n ? rare[j] : 0), 0));
    }
    return ranked(found);
  }

  /** @param {string} query
   * @returns {Answer} */
  answer(query) {
    const typed = fold(query).replace(/./gu, (sign) => this.simple.get(sign) ?? sign);
    let asked = typed;
    while (this.begin.test(asked) || this.end.test(asked)) asked = asked.replace(this.begin, "").replace(this.end, "");
    const parts = this.pieces(typed);
    const sole = this.our(asked) || parts.length < 2 || !this.pieces(asked).some((one) => this.our(one));
    const found = this.direct(typed) ?? (sole ? this.direct(asked) : undefined);
    if (!found) return this.inPieces(typed, asked, query.trim().includes(" "));
    const rest = this.our(typed) || parts.length < 2 || parts.some((one) => !this.whole(one).size) ? [] : this.apart(parts);
    const all = rest.filter((one) => parts.every((part) => this.whole(part).has(one)));
    return { ...found, hits: [...new Set([...found.hits, ...all])] };
  }

  /** What answers the words of a text, as they were meant. @param {string} typed
   * @param {string} asked
   * @param {boolean} words whether they stand apart: then nothing is to be said, if all are there
   * @returns {Answer} */
  inPieces(typed, asked, words) {
    const mended = typed.replace(/[a-z]{4,}/g, (word) => this.meant(word));
    const all = this.pieces(mended);
    const there = all.filter((one) => this.whole(one).size || (this.our(one) && this.whole(this.our(one).ours).size));
    // Of what is not all there, only words of the table count: there are no crumbs.
    const parts = there.length < all.length ? there.filter((one) => this.our(one)) : there;
    if (!parts.length) return { told: [], hits: [], marked: [] };
    const ours = [...new Set(parts.map((one) => this.our(one)?.ours ?? one))];
    const names = ours.map((one) => `“${this.names.get(one) ?? one}”`).join(/\p{Script=Han}/u.test(typed) ? "" : ", ");
    const told = parts.flatMap((one) => this.tell(one));
    if (!words || mended !== typed || parts.length < all.length)
      told.unshift(["Nothing has “{typed}” as it stands; these have {ours}.", { typed, ours: names }]);
    const one = parts.length === 1 && this.direct(parts[0]);
    const hits = one ? one.hits : this.apart(asked && this.whole(asked).size ? [...parts, asked] : parts);
    return { told, hits, marked: [...parts, ...ours].map(stem) };
  }
}

/** @param {Map<Section, number>} found */
const ranked = (found) => [...found].sort(([, a], [, b]) => b - a).map(([one]) => one);
