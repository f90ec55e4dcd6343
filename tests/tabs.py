"""When a page in the browser is there as its reader will see it."""

READY = """() => {
  const listings = [...document.querySelectorAll("article div:not(.no-copy) > pre:has(> code)")];
  return window.component$ && document.readyState === "complete" && document.fonts.status === "loaded"
    && listings.every((listing) => listing.querySelector("nav"));
}"""


def ready(tab):
    """Wait until the theme's script has run, the fonts are there, and every listing has its buttons."""
    tab.wait_for_function(READY)
    return tab
