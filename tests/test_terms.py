"""The words of the site: one table, nothing else written for them, each explained where it is first used."""

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pages
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import attn

from engine import glossary, terms
from engine.extension import Site
from engine.page import Page
from engine.shown import render

TERMS = terms.load()
ID = re.compile(r"\{[ ]*#([\w-]+)[^}]*\}")


@pytest.mark.parametrize("page", pages.ALL)
def test_words(page):
    """No page writes what the table says to avoid."""
    language, _, file = page.partition("/")
    found = terms.mistaken(pages.read(page), language, file)
    told = [f"docs/{page}:{line}: {words}: write {right}" for line, words, right in found]
    if told:
        about = "a line that speaks about such a word says so: <!-- about: the word -->"
        pytest.fail("\n".join([*told, about]), pytrace=False)


FAULTY = {
    "zh": [
        "两个向量的内积",
        "每个token都看",
        "softmax之后的注意力分数",
        "用Softmax算",
        "用pytorch写",
        "键值缓存",
        "大模型",
    ],
    "en": [
        "The inner product of two",
        "Inner products",
        "normalised scores",
        "self attention",
        "a transformer",
        "Pytorch",
    ],
}
GOOD = {
    "zh": [
        "词元（token）",
        "代码里的`token`",
        "softmax之前的注意力分数",
        "[说明](https://a.b/内积)",
        "点积$\\text{内积}$",
    ],
    "en": ["Softmax comes first", "`transformer` and [Transformer](transformer.md#transformer)", "self-attention"],
}


@pytest.mark.parametrize(("language", "text"), [(language, text) for language in FAULTY for text in FAULTY[language]])
def test_mistaken_words_are_found(language, text):
    assert [line for line, *_ in terms.mistaken(f"# 一\n\n{text}\n", language)] == [3] * len(
        list(terms.mistaken(text, language))
    )
    assert list(terms.mistaken(text, language))


@pytest.mark.parametrize(("language", "text"), [(language, text) for language in GOOD for text in GOOD[language]])
def test_right_words_pass(language, text):
    assert not list(terms.mistaken(text, language))


def test_a_line_may_speak_about_a_word():
    text = "点积又叫内积。<!-- about: 内积 -->"
    assert not list(terms.mistaken(text, "zh"))
    assert list(terms.mistaken(f"{text}\n\n再说内积。", "zh")) == [(3, "内积", "点积")]
    assert list(terms.mistaken(text.replace("about: 内积", "about: 数量积"), "zh"))


def test_code_is_not_prose_and_its_comments_are():
    text = "```python\ntransformer = 1  # a transformer\n```\n"
    assert [line for line, *_ in terms.mistaken(text, "en")] == [2]
    assert len(list(terms.mistaken(text, "en"))) == 1


def test_table():
    """Every term has its own id and words, and one sentence in each language that keeps to the table."""
    for name in ("id", "zh", "en"):
        double = [word for word, times in Counter(getattr(term, name) for term in TERMS).items() if times > 1]
        assert not double, f"{name} stands for more than one term: {double}"
    forms = Counter(form for term in TERMS for form in {*term.forms("zh"), *term.forms("en")})
    assert not [form for form, times in forms.items() if times > 1]
    elsewhere = Counter(name for term in TERMS for name in {*term.elsewhere("zh"), *term.find})
    assert not [name for name, times in elsewhere.items() if times > 1 or name in forms], "two terms have one name"
    for term in TERMS:
        assert term.means["zh"].endswith("。") and term.means["en"][-1] in ".?", term
        for language, words in term.means.items():
            assert not list(terms.mistaken(words, language)), f"{term.id}: {words}"
        for language in pages.LANGUAGES:
            for form in term.forms(language):
                assert not list(terms.mistaken(form, language)), f"{form} is right and to be avoided"


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.id)
def test_code(term):
    """The name in code is one of attn's, or one of torch's."""
    own = "\n".join(path.read_text("utf-8") for path in Path(attn.__file__).parent.glob("*.py"))
    if term.code.strip("@*") and not re.search(rf"\b{term.code.rpartition('.')[2]}\b", own):
        eval(term.code, {"torch": torch, "Tensor": torch.Tensor, "nn": nn, "F": F})


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.id)
def test_page(term):
    """The page that teaches a term exists, uses its word, and has the place that is named, in every language."""
    path, _, anchor = term.page.partition("#")
    for language in pages.LANGUAGES:
        text = pages.read(f"{language}/{path}")
        assert not anchor or anchor in ID.findall(text), f"docs/{language}/{term.page}"
        used = any(re.search(glossary.cased(form), text) for form in term.forms(language))
        assert used, f"docs/{language}/{path} teaches {getattr(term, language)} without using the word"


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_the_glossary_lists_every_group(language):
    groups = list(dict.fromkeys(term.group for term in TERMS))
    assert [each.value for each in Page.of(pages.read(f"{language}/glossary.md")).said("glossary")] == groups


def rendered(text, language="zh"):
    return render(Page.of(text, f"docs/{language}/page.md"), Site())


def marked(text, language="zh"):
    return re.findall(r"<abbr[^>]*>(.*?)</abbr>", rendered(text, language))


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "看注意力权重和注意力权重。", ["注意力权重"]),
        ("zh", "一个词元的因果掩码与掩码", ["词元", "因果掩码", "掩码"]),
        ("zh", "头、键和值", []),
        ("zh", "KV缓存，KV 缓存，在线softmax", ["KV缓存", "在线softmax"]),
        ("zh", "## 点积 { #a }\n\n`点积`[点积](https://a.b)$\\text{点积}$", []),
        ("zh", "| 点积 | 乙 |\n| --- | --- |\n| 转置 | 丙 |", ["转置"]),
        ("zh", "```text\n点积\n```\n\n**点积**", ["点积"]),
        ("en", "Dot products, a dot product; transposed; a Transposes", ["Dot products", "Transposes"]),
        ("en", "softmaxes pre-softmax softmax", ["softmax"]),
        ("en", "rope and RoPE", ["RoPE"]),
    ],
)
def test_first_uses_are_marked(language, text, words):
    assert marked(text, language) == words


def test_marks_change_no_text_and_are_few():
    text = "，".join(term.zh for term in TERMS)
    assert re.sub(r"<[^>]*>", "", rendered(text)) == text
    assert len(marked(text)) == glossary.MOST


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_built_glossary(site, language):
    """Every term has its anchor, its name in both languages, its sentence, its names elsewhere and its link."""
    html = unescape(Path(site, language, "glossary", "index.html").read_text("utf-8"))
    for term in TERMS:
        name = re.search(rf'<dt id="{term.id}">(.*?)</dt>', html, re.S)[1]
        assert term.zh in name and term.en in name
        meant = re.search(rf'<dt id="{term.id}">.*?<dd>(.*?)</dd>', html, re.S)[1]
        assert all(other in meant for other in term.elsewhere(language)), term
        path, mark, anchor = term.page.partition("#")
        assert f'<dt id="{term.id}">' in html
        assert term.means[language] in html
        assert f'href="../{pages.address(path)}{mark}{anchor}"'.replace("../.", "..") in html, term


@pytest.mark.parametrize("page", [page for page in pages.ALL if not page.endswith(tuple(glossary.NONE))])
def test_built_tooltips(site, page):
    """What the table explains is explained on every page that uses it, in full without a script, and not searched."""
    language, _, file = page.partition("/")
    html = Path(site, pages.address(page), "index.html").read_text("utf-8")
    article = re.search(r"<article.*?</article>", html, re.S)[0]
    titles = [unescape(title) for title in re.findall(r'<abbr title="([^"]*)" tabindex="0">', article)]
    means = {glossary.told(term, language) for term in TERMS if term.page.partition("#")[0] != file}
    assert len(titles) == len(set(titles)) <= glossary.MOST
    assert set(titles) <= means
    prose = re.sub(r"<[^>]*>", "", re.sub(r"<(pre|figure|h\d|code|a|th)\b.*?</\1>", "", article, flags=re.S))
    used = [
        term
        for term in TERMS
        if term.tooltip
        and glossary.told(term, language) in means
        and re.search(glossary.cased(getattr(term, language)), prose)
    ]
    assert titles or len(used) < 2, f"docs/{page} explains none of {[getattr(term, language) for term in used]}"


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_tooltips_are_not_searched(site, language):
    entries = json.loads(Path(site, language, "search", "entries.json").read_text("utf-8"))
    texts = [entry["text"] for entry in entries if "glossary/" not in entry["location"]]
    for term in TERMS:
        assert not any(term.means[language] in text for text in texts), term
