// Aim a query at keys: scores and weights follow, and the output is a dot among the values. What is shown, attn checks.
import { dot, fill, make, shown, softmax, svg } from "./attention.js";

const SIZE = 300; // of each plane, in its own units
const REACH = 4; // the farthest a query's coordinate goes
const STEP = 0.1;

class AimQuery extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.query = [...this.words.query];
    this.root = true;
    this.guess = null;
    this.done = new Set();
    this.build();
    this.update();
  }

  build() {
    const { words } = this;
    const [x, y] = words.axes;
    this.asks = plane(-REACH, REACH, x, y);
    this.answers = plane(...words.range, x, y);
    this.asks.svg.classList.add("aims");
    this.asks.svg.append(...words.keys.map((key, i) => arrow("key", key, this.asks, words.names[i])));
    this.arrow = arrow("query", this.query, this.asks, "q");
    this.asks.svg.append(this.arrow);
    this.answers.svg.append(
      svg("polygon", { class: "hull", points: words.values.map((v) => this.answers.at(v).join(",")).join(" ") }),
      ...words.values.flatMap((value, i) => point("value", value, this.answers, words.names[i])));
    this.dot = svg("circle", { class: "dot", r: 7 });
    this.mark = svg("path", { class: "mark", d: "" });
    this.answers.svg.append(this.mark, this.dot);
    this.sliders = words.axes.map((_, axis) => this.slider(axis));
    this.rows = words.names.map((name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", { className: "score" }), make("td", { className: "weight" })));
    this.says = make("p", { role: "status", className: "says" });
    this.tasks = words.tasks.map(({ says }) => make("li", {}, says));
    const head = [words.key, words.score, words.weight].map((name) => make("th", { scope: "col" }, name));
    this.replaceChildren(make("div", { className: "widget aim", role: "group", "aria-label": words.title },
      make("div", { className: "planes" },
        make("figure", {}, this.asks.svg, make("figcaption", {}, words.asks)),
        make("figure", {}, this.answers.svg, make("figcaption", {}, words.answers))),
      make("div", { className: "controls" }, ...this.sliders.map((input, axis) => make("label", {}, `q: ${words.axes[axis]} `, input)), ...this.switches()),
      make("table", { className: "looks" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...this.rows)),
      this.says, make("p", { className: "name" }, words.try), make("ol", { className: "tasks" }, ...this.tasks)));
    this.draggable();
  }

  slider(axis) {
    const input = make("input", { type: "range", min: -REACH, max: REACH, step: STEP, value: this.query[axis] });
    input.oninput = () => { this.query[axis] = Number(input.value); this.moved(); };
    return input;
  }

  switches() {
    const root = make("input", { type: "checkbox", checked: true });
    root.onchange = () => { this.root = root.checked; this.update(); };
    const guess = make("input", { type: "checkbox" });
    guess.onchange = () => { this.guessing = guess.checked; this.guess = null; this.covered = guess.checked; this.update(); };
    this.reveal = make("button", { type: "button", onclick: () => { this.covered = false; this.update(); } }, this.words.show);
    return [make("label", {}, root, ` ${this.words.root}`), make("label", {}, guess, ` ${this.words.guess}`), this.reveal];
  }

  // A pointer takes the query by its tip; in the plane of values it marks a guess, as the arrow keys do.
  draggable() {
    const follow = (event) => {
      this.query = this.asks.from(event).map((value) => Number(Math.min(REACH, Math.max(-REACH, value)).toFixed(1)));
      this.moved();
    };
    this.asks.svg.onpointerdown = (event) => {
      this.asks.svg.setPointerCapture(event.pointerId);
      follow(event);
    };
    this.asks.svg.onpointermove = (event) => { if (event.buttons && this.asks.svg.hasPointerCapture(event.pointerId)) follow(event); };
    const field = this.answers.svg;
    field.onpointerdown = (event) => { if (this.covered) { this.guess = this.answers.from(event); this.update(); } };
    field.onkeydown = (event) => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!this.covered || !move) return;
      event.preventDefault();
      this.guess = (this.guess ?? middle(this.words.values)).map((value, axis) => value + STEP * move[axis]);
      this.update();
    };
  }

  moved() {
    this.sliders.forEach((input, axis) => { input.value = this.query[axis]; });
    if (this.guessing) { this.covered = true; this.guess = null; }
    this.update();
  }

  update() {
    const { keys, values } = this.words;
    const scale = this.root ? Math.sqrt(keys[0].length) : 1;
    const scores = keys.map((key) => dot(this.query, key) / scale);
    const weights = softmax(scores);
    const output = [0, 1].map((axis) => dot(weights, values.map((value) => value[axis])));
    draw(this.arrow, this.query, this.asks);
    const [cx, cy] = this.answers.at(output);
    for (const [name, value] of Object.entries({ cx, cy, "data-value": JSON.stringify(output) })) this.dot.setAttribute(name, value);
    this.dot.style.visibility = this.covered ? "hidden" : "visible";
    this.rows.forEach((row, i) => {
      row.querySelector(".score").replaceChildren(number(scores[i], shown(scores[i], 2)));
      row.querySelector(".weight").replaceChildren(this.bar(weights[i]));
    });
    this.answers.svg.classList.toggle("guessing", Boolean(this.covered));
    const reached = this.covered ? { role: "application", tabindex: 0, "aria-hidden": false } : { role: "none", tabindex: -1, "aria-hidden": true };
    for (const [name, value] of Object.entries({ ...reached, "aria-label": this.words.covered })) this.answers.svg.setAttribute(name, value);
    this.reveal.disabled = !this.covered;
    this.mark.setAttribute("d", this.guess ? cross(this.answers.at(this.guess)) : "");
    this.check(weights);
    this.says.textContent = this.covered ? this.words.covered : this.told(weights, output);
  }

  bar(weight) {
    const cell = number(weight, this.covered ? "?" : shown(weight, 2));
    if (!this.covered) cell.style.setProperty("--weight", weight);
    return cell;
  }

  told(weights, output) {
    const shares = weights.map((weight, i) => `${this.words.names[i]} ${shown(weight, 2)}`).join(document.documentElement.lang === "zh" ? "，" : ", ");
    const missed = this.guess ? fill(this.words.missed, { distance: shown(Math.hypot(output[0] - this.guess[0], output[1] - this.guess[1]), 2) }) : "";
    const values = { shares, x: shown(output[0], 2), y: shown(output[1], 2) };
    return `${fill(this.words.says, values)} ${missed}`.trim();
  }

  // A task: one key gets nearly all of the look, or nearly nothing.
  check(weights) {
    this.words.tasks.forEach(({ lands, ignores }, i) => {
      if (this.covered) return;
      const weight = weights[this.words.names.indexOf(lands ?? ignores)];
      if (lands ? weight > 0.85 : weight < 0.01) this.done.add(i);
      this.tasks[i].classList.toggle("done", this.done.has(i));
    });
  }
}

const middle = (points) => [0, 1].map((axis) => points.reduce((sum, p) => sum + p[axis], 0) / points.length);
const cross = ([x, y]) => `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`;

function number(value, text) {
  return make("span", { "data-value": value }, text);
}

// A plane from `low` to `high` in both directions, with its axes; `at` gives where a point is drawn.
function plane(low, high, x, y) {
  const at = ([a, b]) => [((a - low) / (high - low)) * SIZE, ((high - b) / (high - low)) * SIZE];
  const [zeroX, zeroY] = at([0, 0]);
  const field = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" },
    svg("path", { class: "axis", d: `M0 ${zeroY}H${SIZE}M${zeroX} 0V${SIZE}` }),
    svg("text", { class: "axis-name", x: 4, y: Math.min(zeroY + 24, SIZE - 4) }, x),
    svg("text", { class: "axis-name", x: zeroX - 6, y: 20, "text-anchor": zeroX > 60 ? "end" : "start" }, y));
  const from = (event) => {
    const box = field.getBoundingClientRect();
    const [right, down] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    return [low + right * (high - low), high - down * (high - low)];
  };
  return { svg: field, at, from };
}

function arrow(kind, end, field, name) {
  const group = svg("g", { class: kind }, svg("path", {}), svg("circle", { r: kind === "query" ? 9 : 3 }), svg("text", {}, name));
  draw(group, end, field);
  return group;
}

function draw(group, end, field) {
  const [[x0, y0], [x, y]] = [field.at([0, 0]), field.at(end)];
  const [line, tip, name] = group.children;
  line.setAttribute("d", `M${x0} ${y0}L${x} ${y}`);
  tip.setAttribute("cx", x);
  tip.setAttribute("cy", y);
  const right = x > SIZE * 0.7;
  name.setAttribute("x", right ? Math.min(x + 14, SIZE - 4) : x + 10);
  const above = y < y0 !== group.classList.contains("query"); // a key's name and the query's never lie on each other
  name.setAttribute("y", Math.min(Math.max(22, above ? y - 12 : y + 26), SIZE - 4));
  name.setAttribute("text-anchor", right ? "end" : "start");
}

function point(kind, place, field, name) {
  const [x, y] = field.at(place);
  const right = x > SIZE * 0.7;
  return [svg("circle", { class: kind, cx: x, cy: y, r: 4 }), svg("text", { class: kind, x: right ? x - 8 : x + 8, y: y - 8, "text-anchor": right ? "end" : "start" }, name)];
}

customElements.define("aim-query", AimQuery);
