// The worked example with numbers of one's own: Q, K and V can be edited, and each step follows.
import { attention, fill, make, shown } from "./attention.js";

const LIMIT = 1000;
const STEPS = [["scores", 2], ["scaled", 3], ["weights", 2], ["output", 1]]; // with the page's digits

class WorkedExample extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.controls = make("div", { className: "controls" });
    this.given = make("div", { className: "matrices" });
    this.steps = make("div", { className: "matrices" });
    this.says = make("p", { role: "status", className: "says" });
    this.replaceChildren(make("div", { className: "widget", role: "group", "aria-label": this.words.title },
      this.controls, this.given, this.steps, this.says));
    this.reset();
  }

  reset() {
    const { Q, K, V } = this.words;
    this.values = { Q: Q.map((row) => row.map(String)), K: K.map((row) => row.map(String)), V: V.map((row) => row.map(String)) };
    this.causal = false;
    this.row = 0;
    this.drawControls();
    this.drawGiven();
    this.update();
  }

  // What may be chosen: how many words, how long a key is, the causal mask, and back to the page's numbers.
  drawControls() {
    const choose = (label, from, to, value, change) => {
      const options = Array.from({ length: to - from + 1 }, (_, i) => make("option", { value: from + i, selected: from + i === value }, String(from + i)));
      return make("label", {}, `${label} `, make("select", { onchange: (event) => change(Number(event.target.value)) }, ...options));
    };
    const causal = make("input", { type: "checkbox", checked: this.causal, onchange: () => { this.causal = causal.checked; this.update(); } });
    this.controls.replaceChildren(
      choose(this.words.count, 2, 4, this.values.Q.length, (n) => this.resize(n, this.values.Q[0].length)),
      choose("dₖ", 1, 3, this.values.Q[0].length, (d) => this.resize(this.values.Q.length, d)),
      make("label", {}, causal, ` ${this.words.ahead}`),
      make("button", { type: "button", onclick: () => { this.reset(); this.controls.querySelector("button").focus(); } }, this.words.reset),
    );
  }

  resize(n, d) {
    const resized = (rows, columns, start) => Array.from({ length: n }, (_, i) =>
      Array.from({ length: columns }, (_, j) => rows[i]?.[j] ?? start(i, j)));
    const unit = (i, j) => (i % columns === j ? "1" : "0");
    const columns = d;
    this.values = {
      Q: resized(this.values.Q, d, unit),
      K: resized(this.values.K, d, unit),
      V: resized(this.values.V, 1, (i) => String(10 * (i + 1))),
    };
    this.row = Math.min(this.row, n - 1);
    this.drawGiven();
    this.update();
  }

  drawGiven() {
    this.given.replaceChildren(...["Q", "K", "V"].map((name) => this.matrix(name, this.values[name].length, this.values[name][0].length, (i, j) =>
      make("td", {}, make("input", {
        value: this.values[name][i][j], inputMode: "decimal", size: 4, autocomplete: "off",
        "aria-label": fill(this.words.cell, { name, row: i + 1, column: j + 1 }),
        oninput: (event) => { this.values[name][i][j] = event.target.value; this.update(); },
      })))));
  }

  // A table with the words in front of its rows.
  matrix(name, rows, columns, cell, heads = null) {
    const body = Array.from({ length: rows }, (_, i) => make("tr", { className: i === this.row ? "chosen" : "" },
      make("th", { scope: "row" }, this.words.names[i]), ...Array.from({ length: columns }, (_, j) => cell(i, j))));
    const head = heads ? [make("thead", {}, make("tr", {}, make("td"), ...heads.map((word) => make("th", { scope: "col" }, word))))] : [];
    return make("div", { className: "matrix", tabIndex: -1 }, make("table", { className: "attn-table" }, make("caption", {}, name), ...head, make("tbody", {}, ...body)));
  }

  update() {
    const { numbers, fault } = this.read();
    this.given.querySelectorAll("input").forEach((input) => input.setAttribute("aria-invalid", !valid(input.value)));
    this.steps.classList.toggle("stale", Boolean(fault));
    this.steps.inert = Boolean(fault);
    this.says.textContent = fault ?? "";
    if (fault) return; // the numbers of before stay, pale, so that nothing jumps while one types
    const result = attention({ ...numbers, causal: this.causal });
    const names = this.words.names.slice(0, numbers.Q.length);
    this.steps.replaceChildren(...STEPS.map(([step, digits]) => {
      const rows = result[step];
      const square = step !== "output";
      return this.matrix(this.words[step], rows.length, rows[0].length, (i, j) => {
        const hidden = square && this.causal && j > i && step !== "scores";
        const cell = make("td", { className: step, "data-value": rows[i][j] }, hidden && step === "scaled" ? "−∞" : shown(rows[i][j], digits));
        if (step === "weights") cell.style.setProperty("--weight", rows[i][j]);
        return cell;
      }, square ? names : null);
    }));
    this.steps.querySelectorAll("tr:has(.weights) th").forEach((head, i) => {
      head.replaceChildren(make("button", { type: "button", "aria-pressed": String(i === this.row), onclick: () => this.choose(i) }, names[i]));
    });
    this.describe(result, names);
  }

  choose(row) {
    this.row = row;
    this.given.querySelectorAll("tbody").forEach((body) => [...body.rows].forEach((tr, i) => tr.classList.toggle("chosen", i === row)));
    this.update();
    this.steps.querySelectorAll("button")[row].focus();
  }

  describe({ weights, output }, names) {
    const shares = weights[this.row].map((weight, j) => fill(this.words.share, { weight: shown(weight, 2), word: names[j] }));
    this.says.textContent = fill(this.words.says, {
      word: names[this.row], shares: shares.join(document.documentElement.lang === "zh" ? "，" : ", "), output: shown(output[this.row][0], 1),
    });
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

const number = (text) => Number(text.normalize("NFKC").trim().replace("−", "-").replace(",", ".")); // １．５ and 1,5 are 1.5
const valid = (text) => text.trim() !== "" && Math.abs(number(text)) <= LIMIT;

customElements.define("worked-example", WorkedExample);
