// The search, as Material's worker speaks: 0 sets it up, 1 says it is ready, 2 asks, 3 answers.
// Each word that is typed is looked for as it stands, so Chinese needs no cutting; what the index holds, docs/engine/search.py says.
const places = new URL("../../../search/entries.json", location);
const WORDS = /\p{sc=Han}+|[^\s\p{sc=Han}"“”「」，。、；：？！]+/gu;
const MOST = 8; // sections of a page
const AROUND = 60; // letters shown before the first word that was found
const LENGTH = 320; // of the text that is shown
const titles = new Map();
let entries = null;

addEventListener("message", async ({ data: { type, data } }) => {
  if (type === 0) postMessage({ type: 1 });
  if (type === 2) postMessage({ type: 3, data: await answer(data) });
});

async function answer(query) {
  const words = fold(query).match(WORDS) ?? [];
  if (!words.length) return { items: [] };
  entries ??= fetch(places).then((found) => found.json()).then((found) => found.map(read));
  try {
    return { items: pages(search(await entries, words), words) };
  } catch {
    entries = null; // the network failed: ask again at the next letter
    return { items: [] };
  }
}

const fold = (text) => text.normalize("NFKC").toLowerCase();
const squeeze = (text) => text.replace(/[\s\p{P}]+/gu, ""); // Q, K, V is typed qkv, d_k is typed dk

function read(entry) {
  if (!entry.location.includes("#")) titles.set(entry.location, entry.title);
  const tags = entry.tags.map(fold);
  const [title, text] = [fold(entry.title), fold(entry.text)];
  return { ...entry, tags: undefined, folded: { title, text, tags, squeezed: squeeze(`${title} ${tags.join(" ")} ${text}`) } };
}

/** The entries with all the words; if none has them, those with most. */
function search(all, words) {
  const rated = all.map((entry) => ({ entry, each: words.map((word) => points(entry.folded, word)) }));
  const most = Math.max(...rated.map(({ each }) => each.filter(Boolean).length));
  if (!most) return [];
  const whole = words.join(" ");
  return rated
    .filter(({ each }) => each.filter(Boolean).length === most)
    .map(({ entry, each }) => ({
      entry,
      score: each.reduce((sum, one) => sum + one, 0) + (words.length > 1 ? 2 * exactly(entry.folded, whole) : 0),
    }));
}

/** A word as it stands, or, of a longer Chinese one, most pairs of its characters: 注意力掩码 finds 注意力 beside 掩码. */
function points(entry, word) {
  return exactly(entry, word) || (/^\p{sc=Han}{4}/u.test(word) ? nearly(entry, word) : Number(word.length > 1 && entry.squeezed.includes(squeeze(word) || word)));
}

function nearly({ title, text, tags }, word) {
  const pairs = Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2));
  const share = (place) => pairs.filter((pair) => place.includes(pair)).length / pairs.length;
  if (share(`${title} ${tags.join(" ")} ${text}`) < 0.7) return 0;
  const taught = tags.some((tag) => tag.length > 1 && word.includes(tag)) ? 15 : 0;
  return share(text) + 20 * share(title) + taught;
}

function exactly({ title, text, tags }, word) {
  const tag = Math.max(0, ...tags.map((each) => (same(each, word) ? 60 : each.startsWith(word) ? 20 : each.includes(word) ? 8 : 0)));
  const heading = title === word ? 40 : begins(title, word) ? 16 : title.includes(word) ? 10 : 0;
  const body = begins(text, word) ? 2 + Math.min(3, text.split(word).length - 1) : text.includes(word) ? 1 : 0;
  return tag + heading + body;
}

/** LayerNorm is layer norm, dk is d_k. */
const same = (tag, word) => tag === word || (word.length > 1 && squeeze(tag) === squeeze(word));

/** Whether a text has a word that begins so; in Chinese a word may begin anywhere. */
function begins(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}_]/u.test(text[at - 1] ?? "") || /\p{sc=Han}/u.test(word[0])) return true;
  }
  return false;
}

/** What Material shows: for each page its own entry and the sections found, the best page first; of two with an equal
    section, the one with more of them, then the one that comes first in the menu. */
function pages(found, words) {
  const groups = new Map();
  for (const { entry, score } of found.sort((a, b) => b.score - a.score)) {
    const page = entry.location.split("#")[0];
    groups.set(page, [...(groups.get(page) ?? []), shown(entry, score, words)]);
  }
  const best = ([first, ...others]) => first.score + others.reduce((sum, { score }) => sum + score, 0) / 20;
  const ranked = [...groups].sort(([, a], [, b]) => best(b) - best(a));
  return ranked.map(([page, sections]) => {
    const own = sections.find(({ location }) => location === page);
    return own ? [own, ...sections.filter((section) => section !== own).slice(0, MOST)] : [blank(page), ...sections.slice(0, MOST)];
  });
}

function blank(page) {
  return { location: page, title: escape(titles.get(page)), text: "", score: 0, terms: {} };
}

function shown(entry, score, words) {
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  const first = Math.max(0, entry.text.search(pattern) - AROUND);
  const text = (first ? "…" : "") + entry.text.slice(first, first + LENGTH);
  const mark = (plain) => plain.split(new RegExp(pattern, "giu")).map((part, i) => (i % 2 ? `<mark>${escape(part)}</mark>` : escape(part))).join("");
  const terms = Object.fromEntries(words.map((word) => [word, true]));
  return { location: entry.location, title: mark(entry.title), text: mark(text), score, terms };
}

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
