"""Whoever types a term finds the page that teaches it among the first three results, in the site's own search."""

import json
from pathlib import Path

import pages
import pytest

from engine import terms

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
        for words in term.forms(language):
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
        ("en", "qkv", "en/formula/"),
        ("zh", "d_k", "zh/formula/"),
        ("en", "masked_fill", "en/deeper/masks/"),
        ("en", "kv cache", "en/deeper/kv-cache/"),
        ("en", "why scale", "en/why-scale/"),
        ("en", "fused_attention", "en/api/"),
    ],
)
def test_what_readers_type(type_words, language, words, page):
    assert page in type_words(language)(words)[:3]


@pytest.mark.parametrize("words", ["自注意力", "键值对", "自回归"])
def test_what_is_found_has_the_words(site, type_words, words):
    entries = json.loads(Path(site, "zh", "search", "entries.json").read_text("utf-8"))
    having = {
        f"zh/{entry['location'].partition('#')[0]}"
        for entry in entries
        if words in "".join([entry["title"], entry["text"], *entry.get("tags", [])])
    }
    found = set(type_words("zh")(words))
    assert found and found <= having


def test_nothing_is_found_politely(type_words):
    found = type_words("en")
    assert found("xyzzyx") == []
    assert found("<b>&amp;") == []
    assert found("softmax")
