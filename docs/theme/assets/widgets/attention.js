// The formula once more, for figures one can touch. Tests compare every number that it shows with attn.
export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

export function softmax(row) {
  const largest = Math.max(...row);
  const powers = row.map((score) => Math.exp(score - largest)); // a hidden score is -Infinity, its power 0
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

export function attention({ Q, K, V, causal }) {
  const scores = Q.map((q) => K.map((k) => dot(q, k)));
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(K[0].length)));
  const weights = scaled.map((row, i) => softmax(row.map((score, j) => (causal && j > i ? -Infinity : score))));
  const output = weights.map((row) => V[0].map((_, column) => dot(row, V.map((v) => v[column]))));
  return { scores, scaled, weights, output };
}

// Elements in one line: make("td", { className: "weight" }, "0.67").
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

// The same for a drawing: svg("circle", { r: 7 }).
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// "{word} looks at {other}" with its blanks filled.
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (blank, name) => values[name] ?? blank);

export const shown = (value, digits) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
