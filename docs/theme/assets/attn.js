// The switcher keeps the #fragment, and the landing page remembers the choice.
addEventListener("click", (event) => {
  const link = event.target.closest("a[data-language]");
  if (!link) return;
  link.hash = location.hash;
  try { localStorage.setItem("attn.language", link.dataset.language); } catch { /* storage is off: nothing is remembered */ }
});
// Escape puts an explained term's tooltip away.
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (document.activeElement.matches("abbr")) document.activeElement.blur();
  for (const tip of document.querySelectorAll(".md-tooltip2--active")) tip.classList.remove("md-tooltip2--active");
});
// The search is a dialog: it needs a name, which its field has.
{
  const search = document.querySelector("[data-md-component=search]");
  search?.setAttribute("aria-label", search.querySelector("input").getAttribute("aria-label"));
}
// What the theme adds later: a landmark without a name around each copy button, tooltips outside of every landmark, tables
// that scroll where no keyboard comes; and a choice of light or dark, which the paper behind the page follows.
{
  const wide = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  const mend = (node) => {
    for (const nav of node.querySelectorAll?.(".md-code__nav") ?? []) nav.setAttribute("role", "none");
    for (const table of node.querySelectorAll?.(".md-typeset__scrollwrap") ?? []) wide.observe(table);
    if (node.matches?.("body > .md-tooltip2")) document.querySelector("main")?.append(node);
  };
  const changed = ({ type, addedNodes }) => {
    if (type === "attributes") document.documentElement.style.backgroundColor = getComputedStyle(document.body).getPropertyValue("--attn-paper");
    for (const node of addedNodes) mend(node.parentElement ?? node);
    for (const node of addedNodes) mend(node);
  };
  mend(document.body);
  new MutationObserver((changes) => changes.forEach(changed))
    .observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-md-color-scheme"] });
}
// A guess is clicked, stays, and is told to nobody: it lies in the reader's own browser.
for (const [box, list] of document.querySelectorAll(".admonition.question > ul").entries()) {
  const options = [...list.children].map((item) => {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...item.childNodes);
    item.append(button);
    return button;
  });
  const place = `attn.guess ${location.pathname} ${box}`;
  const mark = (chosen) => options.forEach((option, i) => option.setAttribute("aria-pressed", i === chosen));
  try { mark(Number(localStorage.getItem(place) ?? -1)); } catch { mark(-1); }
  list.addEventListener("click", ({ target }) => {
    const chosen = options.indexOf(target.closest("button"));
    if (chosen < 0) return;
    mark(chosen);
    try { localStorage.setItem(place, chosen); } catch { /* storage is off: it stays until the page is left */ }
  });
}
