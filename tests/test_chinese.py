"""How the Chinese pages are set: what a careful editor would mend in prose, found by rule."""

import itertools
import re

import pages
import pytest
import yaml
from markdown_it import MarkdownIt

from engine import terms
from engine.numbers import flat
from engine.page import OURS

COMMONMARK = MarkdownIt("commonmark").enable("table")
HAN = rf"[{pages.HAN}]"
COMMENT = re.compile(r"<!--.*?-->", re.S)
TAG = re.compile(r"</?[a-zA-Z][^>\n]*>")
LINK = re.compile(r"\]\([^)\n]*\)|\]\[[^\]\n]*\]|!?\[(?=[^\]\n]+\])")  # what a link or picture puts around its words
IDS = re.compile(r"[ \t]*\{:?[ ]*[#.][^}\n]*\}")
BOX = re.compile(r'^([ \t]*(?:!!!|\?\?\?\+?|===))[ \t]*([^"\n]*)"(.*)"[ \t]*$', re.M)
MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d+\.|#{1,6}|>|:)[ \t]+", re.M)
MARKS = re.compile(r"\*+|~~")
RULES = [
    (rf"{HAN}[,:;?!]", "write ，：；？！ after a Chinese character"),
    (rf"{HAN}\(|\){HAN}", "write （） beside a Chinese character"),
    (r" [，。：；？！、）」]", "no space before ，。：；？！、）」"),
    (r"[，。：；？！、（「] (?=[^ |])", "no space after ，。：；？！、（「"),
    (
        rf"{HAN} +[A-Za-z0-9]|[A-Za-z0-9] +{HAN}",
        "no space between Chinese and Latin, formulas or code: CSS sets it",
    ),
    (r"[０-９Ａ-Ｚａ-ｚ．％]", "write digits, letters, points and % in half width"),
    (r"[“”]", "quote with 「」"),
]
BROKEN = "one line for each paragraph: a line break shows as a space in Chinese"
STARTS = re.compile(r"[ \t]*(?:[-*+>|:<#]|\d+\.|!!!|\?\?\?|===|\[\^)")  # a line that continues no paragraph
ENDS = re.compile(r"[ \t]*(?:[#|<]|!!!|\?\?\?|===)|.*(?:  |\\)$")  # a line that no paragraph continues


def prose(markdown: str) -> str:
    """The prose of a page, line for line, with x for each formula and each piece of code."""
    text = pages.without_fences(markdown)
    text = COMMENT.sub(pages.blank, text)
    text = pages.CODE.sub("x", text)
    text = pages.FORMULA.sub(lambda match: pages.blank(match) if match["display"] else "x", text)
    text = BOX.sub(r"\3", IDS.sub("", LINK.sub("", TAG.sub("", text))))
    return MARKS.sub("", MARKER.sub("", text))


def complaints(markdown: str):
    """(line, what is wrong, where) for each rule that a line breaks."""
    for number, line in enumerate(prose(markdown).split("\n"), start=1):
        for pattern, rule in RULES:
            if match := re.search(pattern, line):
                yield number, rule, line[max(match.start() - 8, 0) : match.end() + 8].strip()
    yield from broken(markdown)


def broken(markdown: str):
    """Lines that a paragraph goes on from."""
    text = pages.without_fences(OURS.sub(lambda match: "\n" * match[0].count("\n"), markdown))
    text = COMMENT.sub(pages.blank, pages.FORMULA.sub(lambda m: pages.blank(m) if m["display"] else m[0], text))
    for number, (line, below) in enumerate(itertools.pairwise(text.split("\n")), start=1):
        if line.strip() and below.strip() and not ENDS.match(line) and not STARTS.match(below):
            yield number, BROKEN, f"{line.strip()[-8:]}⏎{below.strip()[:8]}"


@pytest.mark.parametrize("page", [page for page in pages.ALL if page.startswith("zh/")])
def test_prose(page):
    told = [f"docs/{page}:{line}: {rule}: {place}" for line, rule, place in complaints(pages.read(page))]
    if told:
        pytest.fail("\n".join(told), pytrace=False)


@pytest.mark.parametrize("term", terms.load(), ids=lambda term: term.id)
def test_terms(term):
    assert not [*complaints(term.zh), *complaints(term.means["zh"])]


@pytest.mark.parametrize("page", [page for page in pages.ALL if page.startswith("zh/")])
def test_figures(page):
    """What stands in a figure or under it is set like the prose around it."""
    for fence in pages.fences(pages.read(page)):
        if fence.language == "figure":
            for words in filter(lambda value: isinstance(value, str), flat(list(yaml.safe_load(fence.code).values()))):
                assert not list(complaints(words)), words


@pytest.mark.parametrize("page", [*pages.ALL, "../README.md", "../.github/CONTRIBUTING.md"])
def test_bold_is_bold_everywhere(page):
    """CommonMark, and so GitHub, is stricter than the site: **问？**答 stays asterisks, **问**？答 does not."""
    raw = [
        f"docs/{page}:{token.map[0] + 1}: {part.content[:40]}"
        for token in COMMONMARK.parse(pages.read(page))
        for part in token.children or ()
        if part.type == "text" and "**" in part.content
    ]
    assert not raw, "put the punctuation behind the bold words:\n" + "\n".join(raw)


FAULTY = [
    "注意力,就是",
    "如下:",
    "真的?",
    "查询(Query)",
    "（Query)之后",
    "公式 $Q$：好",
    "用`Q`，再用 `K`",
    "权重 ，相加",
    "权重， 相加",
    "**注意力** mechanism",
    "[参考 x](a.md) 里有",
    "1. 先看 Transformer",
    "他说“好”",
    "约０．６７",
    "第一行\n第二行",
    '??? question "练习 1"',
    "### 第 1 步 { #step }",
    "| 词 一 | a 词 |",
]
GOOD = [
    "---\ntitle: 甲 a\n---\n# 公式 { #formula }",
    "注意力（attention）就是：$Q$和`K` `V`，1706.03762。",
    '见[参考](references.md#a "b c")和![图](a.svg)。\n<!-- numbers: a, b; c -->',
    "| 词 | 1 |\n| --- | --- |\n| 我： | `x` |",
    "- 一\n- 二\n  1. 三",
    '??? question "练习1"\n\n    答案。',
    "```text\n第一 a\n第二,b\n```",
    "看：\n\n$$\nx = 1\n$$\n\n再看。",
    "行末两个空格  \n下一行",
    "Attention Is All You Need, 2017",
]


@pytest.mark.parametrize("text", FAULTY)
def test_faults_are_found(text):
    assert list(complaints(text))


@pytest.mark.parametrize("text", GOOD)
def test_good_prose_passes(text):
    assert not list(complaints(text))
