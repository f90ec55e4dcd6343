// The small language model, live: the forward pass of attn/labs/next_word.py on the numbers that it learned.
// Tests compare every weight and every chance with torch.
import { dot, fill, make, shown, softmax, svg } from "./attention.js";

const NORM = 1e-5; // what nn.LayerNorm adds to the variance

// e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·5 … (2n+1)): all terms have one sign, so nothing cancels.
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) sum += (term *= (2 * x * x) / (2 * n + 1));
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const gelu = (x) => (x / 2) * (1 + erf(x / Math.SQRT2));
const plus = (a, b) => a.map((value, i) => value + b[i]);

function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

class Model {
  // `layout`: [name, rows, columns] of each tensor, in the order of the bytes.
  constructor(buffer, { layout, vocabulary, heads }) {
    const bits = new DataView(buffer);
    let at = 0;
    const next = () => half(bits.getUint16(2 * at++, true));
    const row = (length) => Array.from({ length }, next);
    for (const [name, rows, columns] of layout) this[name] = columns ? Array.from({ length: rows }, () => row(columns)) : row(rows);
    this.heads = heads;
    this.number = Object.fromEntries(vocabulary.map((word, i) => [word, i]));
  }

  linear(x, name) {
    return this[`${name}.weight`].map((row, i) => dot(row, x) + this[`${name}.bias`][i]);
  }

  norm(x, name) {
    const mean = x.reduce((a, b) => a + b, 0) / x.length;
    const spread = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length + NORM);
    return x.map((value, i) => ((value - mean) / spread) * this[`${name}.weight`][i] + this[`${name}.bias`][i]);
  }

  // Weights (heads, n, n) and the chances of each next word (n, words); a hidden position is seen by itself alone.
  read(words, hidden = new Set()) {
    const X = words.map((word, i) => plus(this["embedding.weight"][this.number[word]], this["position.weight"][i]));
    const normed = X.map((x) => this.norm(x, "blocks.0.norm_before_attention"));
    const [Q, K, V] = ["q", "k", "v"].map((role) => normed.map((x) => this.linear(x, `blocks.0.attention.W_${role}`)));
    const size = Q[0].length / this.heads;
    const part = (row, head) => row.slice(head * size, (head + 1) * size);
    const may = (i, j) => j <= i && (j === i || !hidden.has(j));
    const weights = Array.from({ length: this.heads }, (_, head) => Q.map((q, i) =>
      softmax(K.map((k, j) => (may(i, j) ? dot(part(q, head), part(k, head)) / Math.sqrt(size) : -Infinity)))));
    const chances = X.map((x, i) => {
      const mixed = weights.flatMap((rows, head) => part(V[0], head).map((_, c) => dot(rows[i], V.map((v) => v[head * size + c]))));
      const attended = plus(x, this.linear(mixed, "blocks.0.attention.W_o"));
      const wide = this.linear(this.norm(attended, "blocks.0.norm_before_feed_forward"), "blocks.0.feed_forward.0").map(gelu);
      const thought = plus(attended, this.linear(wide, "blocks.0.feed_forward.3"));
      return softmax(this.linear(this.norm(thought, "norm"), "out"));
    });
    return { weights, chances };
  }
}

const MOST = 6; // of the next words are shown

class LiveMachine extends HTMLElement {
  connectedCallback() {
    this.text = JSON.parse(this.dataset.words);
    const { text } = this;
    const button = (says, onclick) => make("button", { type: "button", onclick }, says);
    const options = (names) => names.map((name, value) => make("option", { value }, name));
    this.choice = make("select", { onchange: () => this.begin(Number(this.choice.value)) }, ...options(text.sentences.map((words) => words.join(text.space))));
    this.head = make("select", { onchange: () => this.update() }, ...options([...Array(text.heads).keys()].map((i) => fill(text.head, { number: i + 1 }))));
    this.head.value = text.show;
    this.row = make("div", { className: "sentence" });
    this.threads = svg("svg", { class: "threads", "aria-hidden": "true" });
    this.exchange = make("select", { onchange: () => this.change((words, i) => words.splice(i, 1, text.vocabulary[this.exchange.value])) }, ...options(text.vocabulary).slice(1));
    this.covers = button(text.cover, () => this.cover());
    this.left = button(text.left, () => this.swap(-1));
    this.right = button(text.right, () => this.swap(1));
    this.away = button(text.remove, () => this.change((words, i) => words.splice(i, 1)));
    this.says = make("p", { role: "status", className: "says" });
    this.next = make("ol", { className: "next" });
    this.meter = make("div", { className: "meter" });
    this.line = make("input", { "aria-label": text.type, placeholder: text.type });
    const typed = make("form", { onsubmit: (event) => { event.preventDefault(); this.type(this.line.value); } }, this.line, make("button", {}, text.read));
    this.edit = make("div", { className: "controls edit" }, make("label", {}, `${text.exchange} `, this.exchange), this.covers, this.left, this.right, this.away);
    this.replaceChildren(make("div", { className: "widget live", role: "group", "aria-label": text.title },
      make("div", { className: "controls" }, make("label", {}, `${text.choose} `, this.choice), ...(text.full ? [make("label", {}, `${text.heads_name} `, this.head)] : [])),
      make("div", { className: "threaded" }, this.threads, this.row), this.edit, this.says,
      make("p", { className: "name" }, text.next), this.next, this.meter,
      make("div", { className: "controls" }, button(text.write, () => this.write(1)), button(text.finish, () => this.write(text.longest)), button(text.restart, () => this.begin(Number(this.choice.value)))),
      ...(text.full ? [typed] : [])));
    for (const event of ["pointerenter", "focusin"]) this.addEventListener(event, () => this.load(), { once: true });
    new ResizeObserver(() => this.draw()).observe(this.row);
    this.begin(0, text.start);
  }

  // The model, its numbers fetched when somebody comes near; nothing where they can't be had.
  load() {
    this.loading ??= fetch(new URL(`../drawn/${this.text.numbers}`, import.meta.url))
      .then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(answer.statusText))))
      .then((buffer) => (this.model = new Model(buffer, this.text)))
      .catch(() => {
        this.loading = null;
        this.tell(this.text.unloaded);
      });
    return this.loading;
  }

  begin(sentence, known) {
    this.words = [this.text.vocabulary[0], ...this.text.sentences[sentence]];
    this.asked = this.words.length - 1;
    this.covered = new Set();
    return this.update(known);
  }

  // Change the words; what was hidden shows again, and the machine reads on from where it read.
  change(edit) {
    edit(this.words, this.asked);
    this.covered.clear();
    this.asked = Math.min(this.asked, this.words.length - 1);
    return this.update();
  }

  swap(step) {
    return this.change((words, i) => {
      [words[i], words[i + step]] = [words[i + step], words[i]];
      this.asked += step;
    });
  }

  cover() {
    if (!this.covered.delete(this.asked)) this.covered.add(this.asked);
    this.asked = this.words.length - 1; // what is hidden is asked by those behind it
    return this.update();
  }

  async type(line) {
    const { vocabulary, space, longest } = this.text;
    const known = vocabulary.slice(1).sort((a, b) => b.length - a.length).map((word) => word.replace(".", "\\.")).join("|");
    const parts = space ? line.toLowerCase().replace(/([,.])/g, " $1 ").split(/\s+/) : line.replace(/,/g, "，").split(new RegExp(`(${known})`));
    const pieces = parts.map((part) => part.trim()).filter(Boolean);
    const unknown = [...new Set(pieces.filter((word) => !vocabulary.includes(word)))];
    if (!pieces.length) return this.tell(this.text.empty);
    if (unknown.length) return this.tell(fill(this.text.unknown, { words: unknown.join(space || "、"), count: vocabulary.length - 1 }));
    if (pieces.length > longest) return this.tell(fill(this.text.full_up, { longest }));
    this.words = [vocabulary[0], ...pieces];
    this.asked = pieces.length;
    this.covered.clear();
    return this.update();
  }

  tell(sentence) {
    this.says.textContent = sentence;
  }

  async write(most) {
    const { vocabulary, longest, ends } = this.text;
    const model = await this.load();
    if (!model) return;
    for (let i = 0; i < most && this.words.length <= longest && !ends.includes(this.words.at(-1)); i++) {
      const chances = model.read(this.words, this.covered).chances.at(-1);
      this.words.push(vocabulary[chances.indexOf(Math.max(...chances))]);
      this.asked = this.words.length - 1;
    }
    await this.update();
    if (this.words.length > longest) this.tell(fill(this.text.full_up, { longest }));
  }

  // Before the numbers are here, only what the build computed for the first sentence is `known`.
  async update(known) {
    let reading = known;
    if (!reading) {
      const model = await this.load();
      if (!model) return;
      const { weights, chances } = model.read(this.words, this.covered);
      reading = { weights: weights.map((rows) => rows[this.asked]), chances: chances[this.asked] };
    }
    const weights = reading.weights[this.head.value];
    const focused = [...this.row.children].indexOf(document.activeElement);
    this.row.replaceChildren(...this.words.map((word, i) => this.chip(word, i, weights[i])));
    if (focused >= 0) this.row.children[Math.min(focused, this.words.length - 1)].focus();
    this.weights = weights;
    this.draw();
    this.predict(reading.chances);
    this.controls();
    const others = weights.map((weight, i) => (i === this.asked ? -1 : weight));
    const heaviest = others.indexOf(Math.max(...others));
    this.tell(fill(heaviest < 0 || this.asked === 0 ? this.text.alone : this.text.says, {
      word: this.name(this.asked), other: this.name(heaviest), weight: shown(weights[heaviest] ?? 1, 2), next: this.best,
    }));
  }

  name(i) {
    return i ? this.words[i] : this.text.opening;
  }

  chip(word, i, weight) {
    const ahead = i > this.asked;
    const hidden = this.covered.has(i);
    const button = make("button", {
      type: "button", className: ["word", ahead && "ahead", hidden && "hidden"].filter(Boolean).join(" "), "aria-pressed": String(i === this.asked),
      onclick: () => { this.asked = i; this.update(); },
    }, make("span", {}, hidden ? this.text.blank : this.name(i)), make("small", { "data-value": weight }, ahead ? " " : shown(weight, 2)));
    button.setAttribute("aria-label", fill(ahead ? this.text.ahead : this.text.chip, { word: hidden ? this.text.blank : this.name(i), weight: shown(weight, 2) }));
    button.style.setProperty("--weight", weight);
    return button;
  }

  // A curve from the word that asks to each that it looks at, the thicker the harder.
  draw() {
    if (!this.weights) return;
    const frame = this.row.getBoundingClientRect();
    const top = ({ left, width, top: y }) => [left - frame.left + width / 2, y - frame.top];
    const [from, ...rest] = [this.row.children[this.asked], ...this.row.children].map((chip) => top(chip.getBoundingClientRect()));
    this.threads.replaceChildren(...rest.flatMap(([x, y], i) => {
      if (i >= this.asked || this.weights[i] < 0.02) return [];
      const lift = Math.min(34, 14 + Math.abs(from[0] - x) / 12);
      const d = `M${from[0]} ${from[1]}C${from[0]} ${from[1] - lift} ${x} ${y - lift} ${x} ${y}`;
      return [svg("path", { d, "stroke-width": 1 + 8 * this.weights[i], opacity: 0.3 + 0.6 * this.weights[i] })];
    }));
  }

  predict(chances) {
    const { vocabulary } = this.text;
    const order = chances.map((chance, i) => [chance, i]).sort(([a], [b]) => b - a).slice(0, MOST);
    this.best = vocabulary[order[0][1]];
    this.next.replaceChildren(...order.map(([chance, i]) => {
      const button = make("button", { type: "button", "data-value": chance, "aria-label": fill(this.text.append, { word: vocabulary[i], chance: shown(chance, 2) }), onclick: () => this.goOn(vocabulary[i]) },
        make("span", {}, vocabulary[i]), make("span", { className: "share" }), make("span", { className: "chance" }, shown(chance, 2)));
      button.style.setProperty("--weight", chance);
      return make("li", {}, button);
    }));
    const senses = this.text.senses[this.words[this.asked]];
    this.meter.replaceChildren(...Object.entries(senses ?? {}).map(([sense, follows]) => {
      const share = follows.reduce((sum, word) => sum + chances[vocabulary.indexOf(word)], 0);
      const bar = make("p", { "data-value": share }, make("span", {}, sense), make("span", { className: "share" }), make("span", { className: "chance" }, shown(share, 2)));
      bar.style.setProperty("--weight", share);
      return bar;
    }));
  }

  goOn(word) {
    if (this.words.length > this.text.longest) return this.tell(fill(this.text.full_up, { longest: this.text.longest }));
    this.words.splice(this.asked + 1, Infinity, word);
    this.asked += 1;
    return this.update();
  }

  controls() {
    const i = this.asked;
    this.exchange.value = Math.max(0, this.text.vocabulary.indexOf(this.words[i]));
    this.exchange.disabled = this.covers.disabled = this.away.disabled = i === 0;
    this.left.disabled = i < 2;
    this.right.disabled = i === 0 || i === this.words.length - 1;
    this.covers.textContent = this.covered.has(i) ? this.text.uncover : this.text.cover;
  }
}

customElements.define("live-machine", LiveMachine);
