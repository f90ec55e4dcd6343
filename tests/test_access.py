"""Everyone can read and use each page: axe finds nothing, and the keyboard reaches everything.

Each page is looked at in one of four modes, in turn; EVERY=1 looks at each in all four.
"""

import os

import pages
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from tabs import ready

AXE = "tags => axe.run({ runOnly: tags, resultTypes: ['violations'] }).then(found => found.violations)"
DRAWN = """() => document.querySelector(".md-sidebar--primary").getBoundingClientRect().left === 0
  && document.getAnimations().every((move) => move.playState !== "running")"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES = {"phone": {"width": 360, "height": 740}, "desktop": {"width": 1350, "height": 940}}
MODES = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
VISITS = [
    (page, *mode)
    for i, page in enumerate(pages.ALL)
    for j, mode in enumerate(MODES)
    if os.environ.get("EVERY") or j == (i + i // len(MODES)) % len(MODES)
]
each_language = pytest.mark.parametrize("language", pages.LANGUAGES)


def mode(size, scheme):
    return {"viewport": SIZES[size], "color_scheme": scheme, "reduced_motion": "reduce"}


def faults(tab):
    """What axe says against a page: the rule, how often, and where first."""
    tab.evaluate(AXE_SCRIPT)
    told = []
    for violation in tab.evaluate(AXE, TAGS):
        nodes = [node for node in violation["nodes"] if not heads_with_a_formula(tab, node)]
        told += [f"{violation['id']} × {len(nodes)}: {nodes[0]['target']} {nodes[0]['html'][:150]}"] if nodes else []
    return told


def heads_with_a_formula(tab, node):
    """axe does not read MathML, and takes a column headed by a formula for one without a heading."""
    return node["html"].startswith("<th") and tab.locator(node["target"][0]).locator("math").count()


@pytest.mark.parametrize(("page", "size", "scheme"), VISITS)
def test_axe_finds_nothing(turn_to, page, size, scheme):
    tab = turn_to(pages.address(page), **mode(size, scheme))
    ready(tab).evaluate("document.querySelectorAll('details').forEach(box => { box.open = true })")
    told = faults(tab)
    assert not told, "\n".join(told)


@pytest.mark.parametrize(("size", "scheme"), MODES)
@pytest.mark.parametrize("path", ["#choose", "404.html", "zh/404.html", "en/404.html"])
def test_axe_finds_nothing_on_what_is_no_page(visit, path, size, scheme):
    tab = visit(path, locale="fr", **mode(size, scheme))
    told = faults(tab)
    assert not told, "\n".join(told)


@pytest.mark.parametrize(("size", "scheme"), MODES)
@each_language
def test_axe_finds_nothing_in_what_opens(visit, language, size, scheme):
    """A tooltip, the search with its results, and on a phone the menu."""
    tab = visit(f"{language}/formula/", **mode(size, scheme))
    tab.locator("abbr").first.focus()
    tab.get_by_role("tooltip").wait_for()
    told = faults(tab)
    search(tab, "softmax")
    told += faults(tab)
    tab.keyboard.press("Escape")
    if size == "phone":
        tab.locator("label.md-header__button[for=__drawer]").click()
        tab.wait_for_function(DRAWN)
        told += faults(tab)
    assert not told, "\n".join(told)


def search(tab, words):
    ready(tab).evaluate("document.activeElement.blur()")
    tab.keyboard.press("/")
    tab.keyboard.type(words)
    tab.locator(".md-search-result__link").first.wait_for()


def go(tab, selector):
    """Press Tab until the focus is there, as someone without a mouse does."""
    for _ in range(200):
        tab.keyboard.press("Tab")
        if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
            return tab.locator(":focus")
    pytest.fail(f"the keyboard never comes to {selector}", pytrace=False)


@each_language
def test_skip_to_the_text(visit, language):
    tab = visit(f"{language}/formula/", viewport=SIZES["desktop"])
    link = go(tab, ".md-skip")
    assert link.inner_text().strip() == {"zh": "跳到正文", "en": "Skip to content"}[language]
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/formula/#*")
    go(tab, "article *")


@each_language
def test_search_with_the_keyboard(visit, server, language):
    tab = visit(f"{language}/", viewport=SIZES["desktop"])
    search(tab, "kv")
    tab.keyboard.press("ArrowDown")
    result = tab.locator(".md-search-result__link:focus").get_attribute("href").partition("?")[0]
    assert result.startswith(f"{server}{language}/")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"{result}**")


@pytest.mark.parametrize(("language", "other"), [("zh", "en"), ("en", "zh")])
def test_switch_the_language_with_the_keyboard(visit, server, language, other):
    tab = visit(f"{language}/formula/", viewport=SIZES["desktop"])
    go(tab, "a.attn-switch")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"{server}{other}/formula/")


@each_language
def test_open_an_answer_with_the_keyboard(visit, language):
    tab = visit(f"{language}/by-hand/", viewport=SIZES["desktop"])
    tab.locator("article details").first.wait_for()
    summary = go(tab, "article summary")
    tab.keyboard.press("Enter")
    assert summary.locator("..").evaluate("details => details.open")


@each_language
def test_touch_a_figure_with_the_keyboard(visit, language):
    tab = visit(f"{language}/by-hand/", viewport=SIZES["desktop"])
    tab.locator("worked-example .widget").wait_for()
    before = tab.locator("worked-example td.weights").first.inner_text()
    go(tab, "worked-example input:not([type=checkbox])")
    tab.keyboard.press("ControlOrMeta+a")
    tab.keyboard.type("5")
    assert tab.locator("worked-example td.weights").first.inner_text() != before
    go(tab, "worked-example tbody button")
    tab.keyboard.press("Enter")


@each_language
def test_on_paper(visit, language):
    """The text with its answers, and nothing to press; of the summary, one sheet."""
    tab = visit(f"{language}/by-hand/", viewport=SIZES["desktop"])
    ready(tab).emulate_media(media="print")
    assert (
        not tab.locator(".md-header, .md-sidebar, .md-footer, .md-skip, .md-code__button").filter(visible=True).count()
    )
    for answer in tab.locator("article details > :not(summary)").all():
        assert answer.evaluate("answer => answer.getBoundingClientRect().height") > 0
    tab = ready(visit(f"{language}/summary/", viewport=SIZES["desktop"]))
    sheets = tab.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
    assert sheets == 1, f"the summary takes {sheets} sheets of paper"
