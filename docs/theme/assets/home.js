// Open the language chosen before, or the browser's; keep the doors for other languages, and for "…/#choose".
(() => {
  let language = null;
  try { language = localStorage.getItem("attn.language"); } catch { /* storage is off: go by the browser */ }
  language ??= navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "zh" || tag === "en");
  if (language && location.hash !== "#choose") location.replace(`${language}/`);
  addEventListener("click", (event) => {
    const door = event.target.closest("a[hreflang]");
    try { if (door) localStorage.setItem("attn.language", door.hreflang); } catch { /* nothing is remembered */ }
  });
})();
