// The switcher keeps the #fragment, and the landing page remembers the choice.
addEventListener("click", (event) => {
  const link = event.target.closest("a[data-language]");
  if (!link) return;
  link.hash = location.hash;
  try { localStorage.setItem("attn.language", link.dataset.language); } catch { /* storage is off: nothing is remembered */ }
});
