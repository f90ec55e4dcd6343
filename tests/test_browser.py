"""The site in a real browser: what a reader does, with script and without."""

import re

import pages
import pytest
from tabs import ready

from engine.fences import blocks
from engine.page import Page

WORDS = {  # what readers type, and the page that must be among the answers
    "zh": [("缩放点积", "formula"), ("注意力权重", "formula"), ("手算", "by-hand"), ("softmax", "formula")],
    "en": [("scaled dot", "formula"), ("attention weights", "formula"), ("by hand", "by-hand"), ("softmax", "formula")],
}
SEARCHES = [(language, *search) for language, searches in WORDS.items() for search in searches]
PHONE = {"width": 320, "height": 640}
COPY = ".highlight:is(.language-python, .language-pycon) [data-md-type=copy]"
WIDE = """[...document.querySelectorAll("article *")]
    .filter(element => element.getBoundingClientRect().right > innerWidth)
    .filter(element => !element.closest("tex-display, pre, svg, .drawn, .katex-mathml, .md-typeset__scrollwrap"))
    .map(element => element.textContent.slice(0, 60)).slice(0, 3)"""
each_page = pytest.mark.parametrize("page", pages.ALL)


def settle(tab):
    tab.wait_for_load_state("networkidle")
    return tab


@pytest.mark.parametrize(
    ("locale", "path"),
    [("zh-CN", "zh/"), ("zh-TW", "zh/"), ("en-US", "en/"), ("en", "en/"), ("fr-FR", ""), ("ja-JP", "")],
)
def test_the_landing_page_picks_a_language(visit, server, locale, path):
    tab = settle(visit("", locale=locale))
    assert tab.url == server + path, f"a browser in {locale} is led to {tab.url} (theme/assets/home.js)"


def test_the_landing_page_remembers_the_door(visit, server):
    tab = visit("", locale="fr-FR")
    tab.get_by_role("link", name="English").click()
    tab.wait_for_url(server + "en/")
    tab.goto(server)
    tab.wait_for_url(server + "en/")


def test_the_landing_page_remembers_the_switcher(visit, server):
    tab = visit("zh/", locale="zh-CN")
    tab.locator("a.attn-switch").click()
    tab.wait_for_url(server + "en/")
    tab.goto(server)
    tab.wait_for_url(server + "en/")


def test_the_landing_page_without_script(visit, server):
    tab = visit("", locale="zh-CN", java_script_enabled=False)
    assert tab.url == server
    tab.get_by_role("link", name="中文").click()
    assert tab.url == server + "zh/"


@pytest.mark.parametrize(("language", "words", "page"), SEARCHES)
def test_search(visit, server, language, words, page):
    tab = ready(visit(f"{language}/", locale=language))
    box = tab.locator("[data-md-component=search-query]")
    box.click()
    tab.keyboard.insert_text(words)
    box.dispatch_event("keyup")  # an input method sends one; insert_text does not
    results = tab.locator(f'.md-search-result__link[href*="/{language}/{page}/"]')
    results.first.wait_for(timeout=5_000)
    results.first.click()
    tab.wait_for_url(f"{server}{language}/{page}/**")


@pytest.mark.parametrize(("language", "other"), [("zh", "en"), ("en", "zh")])
@pytest.mark.parametrize("page", ["formula.md", "notebooks/complete-example.py"])
def test_the_switcher_keeps_page_and_fragment(visit, server, language, other, page):
    tab = ready(visit(pages.address(f"{language}/{page}"), locale=language))
    fragment = tab.locator("article h2[id]").nth(1).get_attribute("id")
    tab.evaluate("fragment => { location.hash = fragment }", fragment)
    tab.locator("a.attn-switch").click()
    tab.wait_for_url(f"{server}{pages.address(f'{other}/{page}')}#{fragment}")
    assert tab.evaluate("document.documentElement.lang") == other


@pytest.mark.parametrize("preferred", ["light", "dark"])
def test_light_dark_auto(visit, server, preferred):
    tab = ready(visit("zh/", color_scheme=preferred, locale="zh"))
    scheme = tab.locator("body")
    toggle = tab.locator("form[data-md-component=palette] label:not([hidden])")
    followed = {"light": "default", "dark": "slate"}
    seen = [scheme.get_attribute("data-md-color-scheme")]
    for _ in range(3):
        toggle.click()
        seen.append(scheme.get_attribute("data-md-color-scheme"))
    assert seen == [followed[preferred], "default", "slate", followed[preferred]]


def test_the_scheme_is_remembered_in_both_languages(visit, server):
    tab = ready(visit("zh/", color_scheme="light", locale="zh"))
    toggle = tab.locator("form[data-md-component=palette] label:not([hidden])")
    toggle.click()
    toggle.click()
    for path in "zh/formula/", "en/", "en/by-hand/":
        ready(tab).goto(server + path)
        assert tab.locator("body").get_attribute("data-md-color-scheme") == "slate", f"{path} forgets the choice"


FRAMES = """window.frames = [];
(function look() {
  if (document.body) window.frames.push(getComputedStyle(document.body).backgroundColor);
  if (document.readyState !== "complete") requestAnimationFrame(look);
})();"""


@pytest.mark.parametrize("stored", [True, False])
def test_no_frame_of_a_dark_site_is_light(visit, server, stored):
    """Whether the reader chose dark here or in the system, each page is dark from its first frame on."""
    tab = ready(visit("zh/", color_scheme="light" if stored else "dark", locale="zh"))
    if stored:
        toggle = tab.locator("form[data-md-component=palette] label:not([hidden])")
        toggle.click()
        toggle.click()
    tab.add_init_script(FRAMES)
    tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    ready(tab).goto(server + "zh/by-hand/")
    assert tab.evaluate("document.querySelector('meta[name=color-scheme]').content") == "dark"
    shades = set(tab.evaluate("window.frames"))
    assert shades <= {"rgb(26, 25, 23)", "rgba(0, 0, 0, 0)"}, shades


BLOCKED = """for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, {
  configurable: true, get() { throw new DOMException("denied", "SecurityError"); }
});"""


def test_where_cookies_are_blocked_all_but_memory_works(visit):
    tab = visit("zh/", locale="zh", permissions=["clipboard-read", "clipboard-write"])
    tab.add_init_script(BLOCKED)
    tab.reload()
    toggle = tab.locator("form[data-md-component=palette] label:not([hidden])")
    toggle.click()
    toggle.click()
    assert tab.locator("body").get_attribute("data-md-color-scheme") == "slate"
    assert copy(tab, tab.locator(COPY).first)
    tab.keyboard.press("/")
    tab.keyboard.type("softmax")
    tab.locator(".md-search-result__link").first.wait_for()


@each_page
def test_each_page(turn_to, page):
    """On a narrow phone, answers unfolded: nothing sticks out, and what is copied is the code and nothing else.

    `turn_to` watches that no page has an error and none asks another server for anything.
    """
    tab = ready(turn_to(pages.address(page), viewport=PHONE, permissions=["clipboard-read", "clipboard-write"]))
    tab.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true })")
    copied = [copy(tab, button) for button in tab.locator(COPY).all()]
    text = pages.read(page)
    if "<!-- reference:" in text:  # its sessions come from docstrings
        assert copied and not re.search(r"^(>>>|\.\.\.)", "\n".join(copied), re.M)
    else:
        code = [code.strip() for code in blocks(Page.of(text, page))]
        assert copied == code, f"docs/{page}: the copy buttons give something else than the code of the page"
    width = tab.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], f"docs/{page} is {width} px wide on a phone of 320 px, for {tab.evaluate(WIDE)}"


def copy(tab, button):
    """What a copy button puts into the clipboard."""
    tab.evaluate("navigator.clipboard.writeText('')")
    button.click()
    tab.wait_for_function("navigator.clipboard.readText()")
    return tab.evaluate("navigator.clipboard.readText()").strip()


@each_page
def test_without_script(turn_to, page):
    """The text, its formulas and its figures stand without any script."""
    tab = turn_to(pages.address(page), java_script_enabled=False)
    text = pages.read(page)
    assert tab.locator("article h1").is_visible(), f"docs/{page}: without script nothing is seen"
    drawn = tab.locator("article .katex-html").count()
    assert drawn == len(formulas(text)), f"docs/{page}: {len(formulas(text))} formulas, {drawn} are set without script"
    for figure in tab.locator("article .drawn svg").all():
        assert figure.evaluate("figure => figure.getBoundingClientRect().height") > 40
    folded = len(re.findall(r"^[ \t]*\?\?\?", pages.without_fences(text), re.M))
    assert tab.locator("article details").count() == folded


def formulas(text):
    return Page.of(text).formulas


def test_the_missing_page(browser, server):
    """It is there in both languages, with its styles and links, however deep the address that is missing."""
    tab = browser.new_page(locale="zh")
    assert tab.goto(server + "zh/no/such/page/").status == 404
    assert tab.get_by_role("heading", name="没有这一页").is_visible()
    assert tab.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none", "it has no styles"
    tab.get_by_role("link", name="The first page, with a map").click()
    tab.wait_for_url(server + "en/")
    tab.close()
