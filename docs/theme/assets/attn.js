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
