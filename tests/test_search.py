"""Whoever types a term, by any of its names, finds the page that teaches it, in the site's own search."""

import json
import re
from pathlib import Path

import pages
import pytest

from engine import terms
from engine.page import Page
from engine.plain import plain

TYPE = """async (words) => {
  const box = document.querySelector("[data-md-component=search-query]");
  const list = document.querySelector(".md-search-result__list");
  const drawn = new Promise((resolve) => new MutationObserver(resolve).observe(list, { childList: true }));
  box.value = words;
  box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, 3000))]);
  return [...list.children].map((page) => page.querySelector("a").href);
}"""


@pytest.fixture
def type_words(visit, server):
    """Open a language's glossary; then `found("掩码")` is what its search finds, page by page."""

    def open_language(language):
        tab = visit(f"{language}/glossary/")
        tab.keyboard.press("/")
        tab.wait_for_function("document.querySelector('.md-search-result__meta').textContent.trim().length")
        return lambda words: [
            address.removeprefix(server).partition("#")[0].partition("?")[0] for address in tab.evaluate(TYPE, words)
        ]

    return open_language


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_terms(type_words, language):
    found = type_words(language)
    misses = []
    for term in terms.load():
        path = term.page.partition("#")[0]
        for words in [*term.forms(language), *term.elsewhere(language), *term.find]:
            first = found(words)[:3]
            if pages.address(f"{language}/{path}") not in first:
                misses.append(f"{words}: {', '.join(first) or 'nothing'}, and not docs/{language}/{path}")
    if misses:
        pytest.fail("\n".join(misses), pytrace=False)


@pytest.mark.parametrize(
    ("language", "words", "page"),
    [
        ("zh", "kv缓存", "zh/deeper/kv-cache/"),  # small letters, and no space beside Chinese
        ("zh", "注意力掩码", "zh/deeper/masks/"),  # every word counts, the last one, too
        ("zh", "multi-head attention", "zh/deeper/multi-head/"),  # the English word on the Chinese site
        ("zh", "为什么要缩放", "zh/why-scale/"),
        ("zh", "fused_attention", "zh/api/"),
        ("zh", "d_k", "zh/formula/"),
        ("en", "kv cache", "en/deeper/kv-cache/"),
        ("en", "why scale", "en/why-scale/"),
        ("en", "fused_attention", "en/api/"),
    ],
)
def test_what_readers_type(type_words, language, words, page):
    assert page in type_words(language)(words)[:3]


FIRST = {  # what is typed, and the term whose page has to come first
    "LayerNorm": "layer-normalization",
    "flash attention": "flash-attention",
    "dk": "key-dimension",
    "qkv": "query",
    "masked_fill": "mask",
    "token": "token",
    "softmax": "softmax",
    "causal": "causal-mask",
    "skip connection": "residual-connection",
    "MLP": "feed-forward-network",
}


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_what_comes_first(type_words, language):
    found = type_words(language)
    taught = {term.id: pages.address(f"{language}/{term.page.partition('#')[0]}") for term in terms.load()}
    right = {words: taught[term] for words, term in FIRST.items()}
    right["jupyter"] = f"{language}/notebooks/practice/"  # which says how to open a notebook
    assert {words: found(words)[0] for words in right} == right


@pytest.mark.parametrize("words", ["自注意力", "键值对", "自回归"])
def test_what_is_found_has_the_words(site, type_words, words):
    entries = json.loads(Path(site, "zh", "search", "entries.json").read_text("utf-8"))
    having = {
        f"zh/{entry['location'].partition('#')[0]}"
        for entry in entries
        if words in "".join([entry["title"], entry["text"], *entry["tags"]])
    }
    found = set(type_words("zh")(words))
    assert found and found <= having


def test_nothing_is_found_politely(type_words):
    found = type_words("en")
    assert found("xyzzyx") == []
    assert found("<b>&amp;") == []
    assert found("softmax")


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", "softmax(QKᵀ/√d_k)V"),
        (r"\frac{e^{x_i}}{\sum_{j} e^{x_j}}", "e^(x_i)/(Σ_j e^(x_j))"),
        (r"d_{\text{ff}} = 4\,d_\text{model}", "d_ff = 4 d_model"),
        (r"n^2 \cdot e^{x+100}", "n² · e^(x+100)"),
        (r"\lVert q \rVert \cos\theta", "‖q‖ cos θ"),
        (r"V = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", "V = [1, 0; 0, 1]"),
        (r"\begin{aligned} a &= -\infty \\ &\approx b \end{aligned}", "a = -∞; ≈ b"),
        (r"\frac{a}{b", "…"),
        (r"\overbrace{a}", "…"),
    ],
)
def test_formulas_as_text(tex, words):
    assert plain(tex) == words


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_results_keep_their_formulas(site, language):
    """Of a sentence with a formula the search shows all of it; no formula is lost, none left as TeX."""
    entries = json.loads(Path(site, language, "search", "entries.json").read_text("utf-8"))
    assert any("Attention(Q, K, V) = softmax(QKᵀ/√d_k)V" in entry["text"] for entry in entries)
    assert not [entry["location"] for entry in entries if re.search(r"\\(frac|text|sqrt)", entry["text"])]
    for page in pages.files(language):
        written = Page.parse(pages.DOCS / language / page)
        lost = [formula.tex for formula in written.formulas if plain(formula.tex.strip()) == "…"]
        assert not lost, f"docs/{language}/{page}"
