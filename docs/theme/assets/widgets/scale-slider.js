// One typical row of scores at any key dimension: what softmax makes of it, as it is and divided by √dₖ.
import { fill, make, softmax } from "./attention.js";

class ScaleSlider extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    const { scores, d_k } = this.words;
    this.unit = scores.map((score) => score / Math.sqrt(d_k)); // the row at dₖ = 1: it grows with √dₖ
    this.slider = make("input", { type: "range", min: 1, max: 10, step: 1, value: Math.log2(d_k), oninput: () => this.update() });
    this.shown = make("output", {});
    this.panels = [this.words.unscaled, this.words.scaled].map((name) => this.panel(name));
    this.says = make("p", { role: "status", className: "says" });
    this.replaceChildren(make("div", { className: "widget", role: "group", "aria-label": this.words.title },
      make("div", { className: "controls" }, make("label", {}, "dₖ ", this.slider), this.shown),
      make("div", { className: "panels" }, ...this.panels.map((panel) => panel.box)), this.says));
    this.update();
  }

  panel(name) {
    const bars = this.unit.map(() => make("div", { className: "bar" }));
    const numbers = make("p", {});
    const box = make("div", {}, make("p", { className: "name" }, name), make("div", { className: "bars", "aria-hidden": "true" }, ...bars), numbers);
    return { name, bars, numbers, box };
  }

  update() {
    const d_k = 2 ** Number(this.slider.value);
    this.slider.setAttribute("aria-valuetext", `dₖ = ${d_k}`);
    this.shown.textContent = `dₖ = ${d_k}`;
    const rows = [this.unit.map((score) => score * Math.sqrt(d_k)), this.unit];
    const sentences = this.panels.map((panel, side) => {
      const weights = softmax(rows[side]);
      const size = gradient(weights);
      panel.bars.forEach((bar, i) => { bar.style.setProperty("--weight", weights[i]); bar.dataset.value = weights[i]; });
      panel.box.dataset.gradient = size;
      const values = { largest: weights[0].toFixed(2), gradient: written(size) };
      panel.numbers.textContent = fill(this.words.numbers, values);
      return fill(this.words.says, { ...values, name: panel.name });
    });
    this.says.textContent = sentences.join(" ");
  }
}

// The size of softmax's derivative where it gives these weights.
const gradient = (weights) => Math.hypot(...weights.flatMap((a, i) => weights.map((b, j) => (i === j ? a : 0) - a * b)));

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function written(size) {
  if (size >= 0.005) return size.toFixed(2);
  const [digits, exponent] = size.toExponential(0).split("e-");
  return `${digits}×10⁻${[...exponent].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}

customElements.define("scale-slider", ScaleSlider);
