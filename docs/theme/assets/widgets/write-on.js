// Write one word after another, with a cache and without: what is computed each time, and what the cache weighs.
import { fill, make } from "./attention.js";

class WriteOn extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.more = make("button", { type: "button", onclick: () => this.write(this.step + 1) }, this.words.more);
    const again = make("button", { type: "button", onclick: () => this.write(1) }, this.words.restart);
    this.sentence = make("p", { className: "written" });
    this.panels = ["again", "once"].map((name) => {
      const grid = make("div", { className: "grid", "aria-hidden": "true" });
      const count = make("p", {});
      return { name, grid, count, box: make("div", {}, make("p", { className: "name" }, this.words[name]), grid, count) };
    });
    this.says = make("p", { role: "status", className: "says" });
    this.sizes = Object.entries(this.words.sizes).map(([name, size]) => this.slider(name, size));
    this.gauge = make("div", { className: "gauge", "aria-hidden": "true" });
    this.weighs = make("output", {});
    this.replaceChildren(make("div", { className: "widget write-on", role: "group", "aria-label": this.words.title },
      make("div", { className: "controls" }, this.more, again), this.sentence,
      make("div", { className: "panels" }, ...this.panels.map(({ box }) => box)), this.says,
      make("p", { className: "name" }, fill(this.words.memory, this.words)),
      make("div", { className: "controls" }, ...this.sizes.map(({ label }) => label)), this.gauge, this.weighs));
    this.write(1);
    this.weigh();
  }

  // A size that doubles from `from` to `to`.
  slider(name, { says, from, to, start }) {
    const input = make("input", { type: "range", min: Math.log2(from), max: Math.log2(to), step: 1, value: Math.log2(start), oninput: () => this.weigh() });
    return { name, says, input, text: make("span", {}), label: make("label", {}, `${says} `, input, " ") };
  }

  write(step) {
    const { sentence } = this.words;
    this.step = step;
    this.more.disabled = step >= sentence.length;
    this.sentence.textContent = sentence.slice(0, step).join(document.documentElement.lang === "zh" ? "" : " ");
    const told = this.panels.map(({ name, grid, count }) => {
      const made = (row) => (name === "again" ? row : 1); // pairs of K and V that step `row` computes
      const total = Array.from({ length: step }, (_, i) => made(i + 1)).reduce((a, b) => a + b, 0);
      grid.style.setProperty("--n", sentence.length);
      grid.replaceChildren(...Array.from({ length: step }, (_, i) => Array.from({ length: sentence.length }, (_, j) => {
        const kind = j > i ? "blank" : j > i - made(i + 1) ? "made" : "kept";
        return make("span", { className: i === step - 1 ? `${kind} now` : kind });
      })).flat());
      count.textContent = fill(this.words.count, { now: made(step), total });
      count.dataset.total = total;
      return fill(this.words.counted, { name: this.words[name], now: made(step), total });
    });
    this.says.textContent = told.join(" ");
  }

  weigh() {
    const size = Object.fromEntries(this.sizes.map(({ name, input }) => [name, 2 ** Number(input.value)]));
    for (const { name, input, text, label } of this.sizes) {
      text.textContent = size[name].toLocaleString("en");
      input.setAttribute("aria-valuetext", size[name]);
      label.append(text);
    }
    const { d_k, bytes, model } = this.words;
    const total = size.context * size.layers * size.kv_heads * 2 * d_k * bytes;
    const GiB = total / 2 ** 30;
    this.weighs.dataset.bytes = total;
    this.gauge.style.setProperty("--share", Math.min(1, GiB / 64));
    this.gauge.style.setProperty("--model", model / 64);
    this.weighs.textContent = fill(this.words.weighs, { GiB: GiB >= 0.095 ? GiB.toFixed(GiB < 10 ? 1 : 0) : GiB.toPrecision(1), model });
  }
}

customElements.define("write-on", WriteOn);
