// The worked example to ask: tap a number, and threads run from what it is made of while the sum writes itself.
import { attention, fill, make, shown, svg } from "./attention.js";

const LIMIT = 1000;
const STEPS = [["scores", 2], ["scaled", 3], ["weights", 2], ["output", 1]]; // with the page's digits
const PACE = 1200; // milliseconds for each number when all are played

class WorkedExample extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.controls = make("div", { className: "controls" });
    this.given = make("div", { className: "matrices" });
    this.steps = make("div", { className: "matrices" });
    this.sum = make("p", { className: "sum" });
    this.says = make("p", {});
    this.threads = svg("svg", { class: "threads", "aria-hidden": "true" });
    this.box = make("div", { className: "widget worked", role: "group", "aria-label": this.words.title },
      this.controls, this.given, this.steps, make("div", { role: "status", className: "says" }, this.sum, this.says), this.threads);
    this.replaceChildren(this.box);
    new ResizeObserver(() => this.thread()).observe(this.box);
    this.reset();
  }

  disconnectedCallback() { clearInterval(this.playing); }

  reset() {
    const { Q, K, V } = this.words;
    this.values = { Q: Q.map((row) => row.map(String)), K: K.map((row) => row.map(String)), V: V.map((row) => row.map(String)) };
    this.causal = false;
    this.covered = false;
    this.forget();
    this.drawControls();
    this.drawGiven();
    this.update();
  }

  // No number is asked about, and none that was covered has been uncovered.
  forget() {
    this.asked = null;
    this.open = new Set();
    this.stop();
  }

  drawControls() {
    const choose = (label, from, to, value, change) => {
      const options = Array.from({ length: to - from + 1 }, (_, i) => make("option", { value: from + i, selected: from + i === value }, String(from + i)));
      return make("label", {}, `${label} `, make("select", { onchange: (event) => change(Number(event.target.value)) }, ...options));
    };
    const box = (label, change) => {
      const input = make("input", { type: "checkbox", onchange: () => { change(input.checked); this.forget(); this.update(); } });
      return make("label", {}, input, ` ${label}`);
    };
    this.player = make("button", { type: "button", onclick: () => (this.playing ? this.stop() : this.play()) }, this.words.play);
    this.controls.replaceChildren(
      make("button", { type: "button", onclick: () => { this.reset(); this.controls.querySelector("button").focus(); } }, this.words.reset),
      this.player,
      choose(this.words.count, 2, 4, this.values.Q.length, (n) => this.resize(n, this.values.Q[0].length)),
      choose("dₖ", 1, 3, this.values.Q[0].length, (d) => this.resize(this.values.Q.length, d)),
      box(this.words.ahead, (on) => { this.causal = on; }),
      box(this.words.cover, (on) => { this.covered = on; }),
    );
  }

  resize(n, d) {
    const resized = (rows, columns, start) => Array.from({ length: n }, (_, i) =>
      Array.from({ length: columns }, (_, j) => rows[i]?.[j] ?? start(i, j)));
    const unit = (i, j) => (i % d === j ? "1" : "0");
    this.values = {
      Q: resized(this.values.Q, d, unit),
      K: resized(this.values.K, d, unit),
      V: resized(this.values.V, 1, (i) => String(10 * (i + 1))),
    };
    this.forget();
    this.drawGiven();
    this.update();
  }

  drawGiven() {
    this.given.replaceChildren(...["Q", "K", "V"].map((name) => this.matrix(name, name, this.values[name].length, this.values[name][0].length, (i, j) =>
      make("input", {
        value: this.values[name][i][j], inputMode: "decimal", size: 4, autocomplete: "off",
        "aria-label": fill(this.words.cell, { name, row: i + 1, column: j + 1 }),
        oninput: (event) => { this.values[name][i][j] = event.target.value; this.forget(); this.update(); },
      }))));
  }

  // A table with the words in front of its rows; a cell is found again by its step and place.
  matrix(step, name, rows, columns, content, heads = null) {
    const cell = (i, j) => make("td", { className: step, "data-at": `${step} ${i} ${j}` }, content(i, j));
    const body = Array.from({ length: rows }, (_, i) => make("tr", {}, make("th", { scope: "row" }, this.words.names[i]),
      ...Array.from({ length: columns }, (_, j) => cell(i, j))));
    const head = heads ? [make("thead", {}, make("tr", {}, make("td"), ...heads.map((word) => make("th", { scope: "col" }, word))))] : [];
    return make("div", { className: "matrix", tabIndex: -1 }, make("table", { className: "attn-table" }, make("caption", {}, name), ...head, make("tbody", {}, ...body)));
  }

  update() {
    const { numbers, fault } = this.read();
    this.given.querySelectorAll("input").forEach((input) => input.setAttribute("aria-invalid", !valid(input.value)));
    this.steps.classList.toggle("stale", Boolean(fault));
    this.steps.inert = Boolean(fault);
    if (fault) { // the numbers of before stay, pale, so that nothing jumps while one types
      this.sum.textContent = "";
      this.says.textContent = fault;
      this.thread();
      return;
    }
    this.numbers = { ...numbers, ...attention({ ...numbers, causal: this.causal }) };
    const names = this.words.names.slice(0, numbers.Q.length);
    const at = this.steps.contains(document.activeElement) ? document.activeElement.closest("[data-at]")?.dataset.at : null;
    this.steps.replaceChildren(...STEPS.map(([step]) => {
      const rows = this.numbers[step];
      return this.matrix(step, this.words[step], rows.length, rows[0].length, (i, j) => this.number(step, i, j), step === "output" ? null : names);
    }));
    this.steps.querySelectorAll("td[data-at]").forEach((cell) => {
      const [step, i, j] = place(cell.dataset.at);
      cell.dataset.value = this.numbers[step][i][j];
      if (step === "weights" && this.seen(step, i, j)) cell.style.setProperty("--weight", this.numbers[step][i][j]);
    });
    this.cell(at)?.querySelector("button").focus();
    this.tell();
    this.thread();
  }

  number(step, i, j) {
    const text = this.seen(step, i, j) ? this.written(step, i, j) : "?";
    const pressed = this.asked === `${step} ${i} ${j}`;
    const name = fill(this.words.cell, { name: this.words[step], row: i + 1, column: j + 1 });
    return make("button", { type: "button", "aria-pressed": String(pressed), "aria-label": `${name}: ${text}`, onclick: () => { this.stop(); this.ask(`${step} ${i} ${j}`); } }, text);
  }

  written(step, i, j) {
    if (step === "scaled" && this.hides(i, j)) return "−∞";
    return shown(this.numbers[step][i][j], STEPS.find(([name]) => name === step)[1]);
  }

  hides(i, j) { return this.causal && j > i; }

  seen(step, i, j) { return !this.covered || this.open.has(`${step} ${i} ${j}`); }

  cell(at) { return at ? this.box.querySelector(`[data-at="${at}"]`) : null; }

  ask(at) {
    this.asked = at;
    this.update();
    if (!this.playing) this.cell(at)?.querySelector("button").focus();
  }

  play() {
    const all = [...this.steps.querySelectorAll("[data-at]")].map((cell) => cell.dataset.at);
    let next = 0;
    const one = () => (next < all.length ? this.ask(all[next++]) : this.stop());
    this.playing = setInterval(one, this.dataset.pace ?? PACE);
    this.player.textContent = this.words.stop;
    one();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    if (this.player) this.player.textContent = this.words.play;
  }

  // What a number is made of: the cells, the sum in letters, and its terms in numbers.
  made([step, i, j]) {
    const { Q, K, V, scores, scaled, weights } = this.numbers;
    if (step === "scores") {
      const terms = Q[i].map((q, c) => [q, K[j][c]]);
      return { cells: Q[i].flatMap((_, c) => [`Q ${i} ${c}`, `K ${j} ${c}`]), terms: terms.map(([a, b]) => a * b), sum: products(terms) };
    }
    if (step === "scaled") {
      const d_k = K[0].length;
      return { cells: [`scores ${i} ${j}`], terms: [scores[i][j] / Math.sqrt(d_k)], sum: `${plain(scores[i][j])} ÷ √${d_k}` };
    }
    if (step === "weights") {
      const row = scaled[i].map((score, k) => [score, k]).filter(([, k]) => !this.hides(i, k));
      const sum = `${power(scaled[i][j])} ÷ (${row.map(([score]) => power(score)).join(" + ")})`;
      return { cells: row.map(([, k]) => `scaled ${i} ${k}`), terms: [weights[i][j]], sum };
    }
    const terms = weights[i].map((weight, k) => [weight, V[k][j]]);
    return { cells: weights[i].flatMap((_, k) => [`weights ${i} ${k}`, `V ${k} ${j}`]), terms: terms.map(([a, b]) => a * b), sum: products(terms) };
  }

  tell() {
    this.sum.replaceChildren();
    if (!this.asked) { this.says.textContent = this.words.ask; return; }
    const [step, i, j] = place(this.asked);
    const hidden = this.hides(i, j) && (step === "scaled" || step === "weights");
    const { sum, terms } = this.made([step, i, j]);
    const known = this.seen(step, i, j);
    this.sum.dataset.terms = JSON.stringify(terms);
    this.sum.append(hidden ? this.words.hidden : `${sum} = ${known ? this.written(step, i, j) : "?"}`);
    if (!known) this.sum.append(this.guessing());
    this.says.textContent = known ? this.meaning(step, i, j) : this.words.guess;
  }

  guessing() {
    const field = make("input", { inputMode: "decimal", size: 5, autocomplete: "off", "aria-label": this.words.guess });
    const form = make("form", {}, field, make("button", {}, this.words.check));
    form.onsubmit = (event) => {
      event.preventDefault();
      const [step, i, j] = place(this.asked);
      const guess = field.value;
      this.open.add(this.asked);
      this.ask(this.asked);
      const near = valid(guess) && Math.abs(number(guess) - this.numbers[step][i][j]) < 0.05 * Math.max(1, Math.abs(this.numbers[step][i][j]));
      if (guess) this.says.textContent = fill(near ? this.words.near : this.words.far, { guess, value: this.written(step, i, j) });
    };
    return form;
  }

  meaning(step, i, j) {
    const names = this.words.names;
    return fill(this.words.means[step], { word: names[i], other: names[j], value: this.written(step, i, j) });
  }

  // Threads from the cells that a number is made of to it.
  thread() {
    this.box.querySelectorAll(".source").forEach((cell) => cell.classList.remove("source"));
    this.threads.replaceChildren();
    const end = this.asked && !this.steps.inert && this.cell(this.asked);
    if (!end) return;
    const frame = this.box.getBoundingClientRect();
    const middle = (cell) => {
      const { left, top, width, height } = cell.getBoundingClientRect();
      return [left - frame.left + width / 2, top - frame.top + height / 2];
    };
    const [x, y] = middle(end);
    for (const cell of this.made(place(this.asked)).cells.map((at) => this.cell(at))) {
      cell.classList.add("source");
      const [from, above] = middle(cell);
      this.threads.append(svg("path", { d: `M${from} ${above}C${from} ${(above + y) / 2} ${x} ${(above + y) / 2} ${x} ${y}` }));
    }
  }

  read() {
    for (const name of ["Q", "K", "V"]) {
      for (const [i, row] of this.values[name].entries()) {
        for (const [j, text] of row.entries()) {
          if (!valid(text)) return { fault: fill(this.words.fault, { name, row: i + 1, column: j + 1, limit: LIMIT }) };
        }
      }
    }
    const numbers = Object.fromEntries(Object.entries(this.values).map(([name, rows]) => [name, rows.map((row) => row.map(number))]));
    return { numbers };
  }
}

const place = (at) => { const [step, i, j] = at.split(" "); return [step, Number(i), Number(j)]; };
const number = (text) => Number(text.normalize("NFKC").trim().replace("−", "-").replace(",", ".")); // １．５ and 1,5 are 1.5
const valid = (text) => text.trim() !== "" && Math.abs(number(text)) <= LIMIT;
const plain = (value) => shown(value, 2).replace(/\.?0+$/, "");
const bracketed = (value) => (value < 0 ? `(${plain(value)})` : plain(value));
const products = (terms) => terms.map(([a, b]) => `${bracketed(a)} × ${bracketed(b)}`).join(" + ");
const power = (score) => `e^${score < 0 ? `(${shown(score, 3)})` : shown(score, 3)}`;

customElements.define("worked-example", WorkedExample);
