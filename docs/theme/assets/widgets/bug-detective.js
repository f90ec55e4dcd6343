// One bug of the zoo has broken out: choose tests, cages that do not fit go dark, name the culprit.
import { fill, make } from "./attention.js";

class BugDetective extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.cages = Object.entries(this.words.names).map(([bug, name]) =>
      Object.assign(make("button", { type: "button", onclick: () => this.accuse(bug) }, name), { bug }));
    this.tests = Object.entries(this.words.tests).map(([test, name]) =>
      Object.assign(make("button", { type: "button", onclick: () => this.try(test) }, name), { test }));
    this.says = make("p", { role: "status", className: "says" });
    this.again = make("button", { type: "button", onclick: () => { this.start(); this.tests[0].focus(); } }, this.words.again);
    this.replaceChildren(make("div", { className: "widget detective", role: "group", "aria-label": this.words.title },
      make("p", { className: "name" }, this.words.choose), make("ul", {}, ...this.tests.map((button) => make("li", {}, button))),
      make("p", { className: "name" }, this.words.accuse), make("ul", {}, ...this.cages.map((button) => make("li", {}, button))),
      this.says, this.again));
    this.start();
  }

  start() {
    const bugs = Object.keys(this.words.names).filter((bug) => bug !== this.dataset.culprit); // not the same one twice
    this.dataset.culprit = bugs[Math.floor(Math.random() * bugs.length)];
    this.used = new Set();
    this.over = false;
    this.update(this.words.start);
  }

  try(test) {
    if (this.over || this.used.has(test)) return;
    this.used.add(test);
    const holds = this.words.table[this.dataset.culprit][test];
    const left = this.left().length;
    this.update(fill(holds ? this.words.passed : this.words.failed, { test: this.words.tests[test], left }));
  }

  accuse(bug) {
    if (this.over) return;
    const { names, right, wrong, early, worst, average } = this.words;
    this.over = true;
    const values = { name: names[this.dataset.culprit], accused: names[bug], used: this.used.size, worst, average };
    const lucky = bug === this.dataset.culprit && this.left().length > 1 ? ` ${early}` : "";
    this.update(fill(bug === this.dataset.culprit ? right : wrong, values) + lucky);
  }

  // The bugs that fit all tests so far.
  left() {
    const { table } = this.words;
    return Object.keys(table).filter((bug) => [...this.used].every((test) => table[bug][test] === table[this.dataset.culprit][test]));
  }

  update(says) {
    const left = this.left();
    for (const button of this.tests) {
      const used = this.used.has(button.test);
      const mark = used ? (this.words.table[this.dataset.culprit][button.test] ? " ✓" : " ✗") : "";
      button.textContent = this.words.tests[button.test] + mark;
      button.classList.toggle("failed", mark === " ✗");
      button.setAttribute("aria-pressed", used);
    }
    for (const button of this.cages) {
      const fits = left.includes(button.bug);
      button.classList.toggle("dark", !fits);
      button.classList.toggle("culprit", this.over && button.bug === this.dataset.culprit);
      button.setAttribute("aria-label", fits ? this.words.names[button.bug] : fill(this.words.out, { name: this.words.names[button.bug] }));
    }
    this.says.textContent = says;
  }
}

customElements.define("bug-detective", BugDetective);
