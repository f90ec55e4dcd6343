// The trained model of the apple lab: choose a sentence, hide a word, see where it looks then and what it answers.
import { fill, make, shown } from "./attention.js";

class SenseExplorer extends HTMLElement {
  connectedCallback() {
    this.text = JSON.parse(this.dataset.words);
    const options = this.text.readings.map((reading, i) => make("option", { value: i, selected: i === this.text.start }, this.label(reading)));
    this.choice = make("select", { onchange: () => { this.masked = null; this.update(); } }, ...options);
    this.row = make("div", { className: "sentence" });
    this.says = make("p", { role: "status", className: "says" });
    this.replaceChildren(make("div", { className: "widget", role: "group", "aria-label": this.text.title },
      make("div", { className: "controls" }, make("label", {}, `${this.text.choose} `, this.choice)), this.row, this.says));
    this.masked = null;
    this.update();
  }

  label({ words, at }) {
    return words.map((word, i) => (i === at ? `[${word}]` : word)).join(document.documentElement.lang === "zh" ? "" : " ");
  }

  update() {
    const { words, at, states } = this.text.readings[this.choice.value];
    const { weights, sense } = states[this.masked ?? states.length - 1];
    const focused = [...this.row.children].indexOf(document.activeElement);
    this.row.replaceChildren(...words.map((word, i) => {
      const hidden = i === this.masked;
      const button = make("button", {
        type: "button", className: i === at ? "word asked" : "word", "aria-pressed": String(hidden), disabled: i === at,
        onclick: () => { this.masked = hidden ? null : i; this.update(); },
      }, make("span", {}, hidden ? this.text.blank : word), make("small", { "data-value": weights[i] }, shown(weights[i], 2)));
      const label = i === at ? this.text.asks : hidden ? this.text.show : this.text.hide;
      button.setAttribute("aria-label", fill(label, { word, weight: shown(weights[i], 2) }));
      button.style.setProperty("--weight", weights[i]);
      return button;
    }));
    this.row.children[focused]?.focus();
    const heaviest = words[weights.indexOf(Math.max(...weights))];
    this.says.textContent = fill(this.text.says, { word: words[at], sense, heaviest });
  }
}

customElements.define("sense-explorer", SenseExplorer);
