"""The two languages share one skeleton: only words differ.

The skeleton of a page is a list of parts for each kind of thing. Headings, code and figures stand in the same order in
both languages; formulas, numbers and links may change places within a section, as sentences are built differently.
"""

import io
import itertools
import re
import tokenize
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import pages
import pytest
import yaml

from engine.fences import unprompted

HEADING = re.compile(r"^(?P<level>#{1,6})[ \t]+(?P<words>.*?)(?:[ \t]*\{[ ]*#(?P<id>[\w-]+)[^}\n]*\})?[ \t]*$", re.M)
BOX = re.compile(r"^[ \t]*(?:!!!|\?\?\?\+?|===)[ \t]*(?P<kind>[\w-]*)", re.M)
ROW = re.compile(r"^[ \t]*\|(?P<cells>.*)\|[ \t]*$", re.M)
LINK = re.compile(r"\]\((?P<target>[^)\s:]+)\)")  # without a colon: to a page of ours
MADE = re.compile(r"^[ \t]*<!--\s*(?P<made>(?:source|reference|glossary):\s*[\w.]+)\s*-->", re.M)  # by the build
VALUES = re.compile(r"<!--\s*numbers:(?P<values>.*?)-->", re.S)
CITED = re.compile(r"cited\(\s*[\"'](?P<key>[^\"']+)[\"']")
WORDS = re.compile(r"[^\W\d_]")
FORMAT = re.compile(r"[<>^+,.\d]+[a-z%]?")  # of a value in an f-string, which Python 3.12 takes for a string
STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
PAIRS = sorted(set(pages.files("zh")) & set(pages.files("en")))


@dataclass(frozen=True)
class Part:
    kind: str
    line: int
    text: str  # what must be equal in both languages


def skeleton(text: str) -> dict[str, list[Part]]:
    """The parts of a page, by kind."""
    prose = pages.without_fences(text)
    readable = pages.CODE.sub(pages.blank, prose)
    plain = pages.FORMULA.sub(pages.blank, readable)
    sections = [match.start() for match in HEADING.finditer(prose)]
    ordered = [
        *parts("heading", prose, HEADING, lambda match: f"{match['level']} {{ #{match['id']} }}"),
        *(part for fence in pages.fences(text) for part in fenced(text, fence)),
        *parts("part made by the build", prose, MADE, lambda match: match["made"]),
        *parts("box", plain, BOX, lambda match: match["kind"]),
        *parts("table row", plain, ROW, lambda match: f"{match['cells'].count('|') + 1} cells"),
    ]
    loose = [
        *parts("formula", readable, pages.FORMULA, lambda match: wordless_formula(match[0])),
        *(part for match in VALUES.finditer(prose) for part in expressions(prose, match)),
        *parts("link", plain, LINK, lambda match: match["target"]),
    ]
    starts = [pages.line(text, start) for start in sections]
    loose.sort(key=lambda part: (sum(start <= part.line for start in starts), part.text, part.line))
    found = {}
    for part in [*sorted(ordered, key=lambda part: part.line), *loose]:
        found.setdefault(part.kind, []).append(part)
    return found


def parts(kind, text, pattern, read):
    return [Part(kind, pages.line(text, match.start()), read(match)) for match in pattern.finditer(text)]


def expressions(text, match):
    line = pages.line(text, match.start())
    return [Part("number", line, " ".join(value.split())) for value in match["values"].split(";") if value.strip()]


def wordless_formula(tex: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\\text(?:bf|it|rm)?\{[^{}]*\}", r"\\text{…}", tex))


def fenced(text, fence):
    """The parts of a fence: its head, and line by line what its words leave."""
    line, name, info = pages.line(text, fence.start), fence.language, fence.info
    options = [f'{key}="{"…" if WORDS.search(value) else value}"' for key, value in re.findall(r'(\w+)="(.*?)"', info)]
    if name == "figure":
        options = re.findall(r"module=\S+", info)
    yield Part("fence", line, " ".join([name, *options]))
    for number, left in enumerate(wordless(name, fence.code), start=line + 1):
        if left.strip():
            yield Part(f"line of a {name} fence", number, left.rstrip())


def wordless(name: str, code: str) -> list[str]:
    """The lines of a fence without its words."""
    if name == "python":
        return wordless_python(code)
    if name == "pycon":
        return wordless_session(code)
    if name == "figure":
        return [wordless_yaml(yaml.safe_load(code))]
    if name == "text":
        return [" ".join(re.findall(r"\d[\d.,]*", line)) for line in code.split("\n")]
    return [re.sub(r"(?<!\S)#.*", "", line) for line in code.split("\n")]  # console, yaml, toml


def wordless_session(code: str) -> list[str]:
    """The prompts' code without its words, and of the outputs the numbers."""
    prompts = [re.match(r"(?:>>>|\.\.\.)(?: |$)", line) for line in code.split("\n")]
    typed = iter(wordless_python(unprompted(code)))
    outputs = (" ".join(re.findall(r"\d[\d.,]*", line)) for line in code.split("\n"))
    return [f"{prompt[0]}{next(typed)}" if prompt else out for prompt, out in zip(prompts, outputs, strict=True)]


def wordless_python(code: str) -> list[str]:
    """The lines of code without comments, and with … for words in strings."""
    lines = code.split("\n")
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(code).readline))):
        (first, left), (last, right) = token.start, token.end
        if token.type == tokenize.COMMENT:
            lines[first - 1] = lines[first - 1][:left].rstrip()
        elif token.type in STRINGS and WORDS.search(string(token.string)):
            kept = "…" + "".join(re.findall(r"\{[^{}]*\}", token.string))
            tail = lines[last - 1][right:]
            lines[first - 1 : last] = [lines[first - 1][:left] + kept + tail, *[""] * (last - first)]
    return lines


def string(literal: str) -> str:
    """What a string literal says, prefix and fields of an f-string aside."""
    return "" if FORMAT.fullmatch(literal) else re.sub(r"\{[^{}]*\}|^\w+(?=[\"'])|\\[nt]", "", literal)


def wordless_yaml(value) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {wordless_yaml(entry)}" for key, entry in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(wordless_yaml, value)) + "]"
    return "…" if isinstance(value, str) and WORDS.search(value) else str(value)


def differences(page: str, zh: str, en: str) -> list[str]:
    """What differs between the skeletons of a page's two texts, with the lines of both."""
    ours, theirs = skeleton(zh), skeleton(en)
    told = []
    for kind in [*ours, *(kind for kind in theirs if kind not in ours)]:
        a, b = ours.get(kind, []), theirs.get(kind, [])
        matcher = SequenceMatcher(None, [part.text for part in a], [part.text for part in b], autojunk=False)
        for tag, i, j, k, m in matcher.get_opcodes():
            if tag != "equal":
                told += [f"{kind}:", *stand("zh", page, a, i, j), *stand("en", page, b, k, m)]
    return told


def stand(language, page, found, start, end):
    """What stands in one language: the parts that the other has not, or where they would belong."""
    if start == end:
        after = f" (after line {found[start - 1].line})" if start else ""
        return [f"  docs/{language}/{page}: nothing{after}"]
    told = [f"  docs/{language}/{page}:{part.line}: {part.text}" for part in found[start:end]]
    return told if len(told) < 6 else [*told[:4], f"  … and {len(told) - 4} more"]


def test_the_same_pages():
    for language, other in ("zh", "en"), ("en", "zh"):
        missing = sorted(set(pages.files(language)) - set(pages.files(other)))
        assert not missing, f"docs/{other} lacks {', '.join(missing)}, which docs/{language} has: write the twin"


def test_the_same_navigation():
    settings = [(pages.DOCS / f"{language}.yml").read_text("utf-8") for language in ("zh", "en")]
    zh, en = (navigation(yaml.safe_load(text)["nav"]) for text in settings)
    assert zh == en, "nav in docs/zh.yml and docs/en.yml must list the same files in the same places"


def navigation(entry):
    """The files of a nav as a tree without titles."""
    if isinstance(entry, dict):
        return navigation(next(iter(entry.values())))
    return [navigation(below) for below in entry] if isinstance(entry, list) else entry


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_page_is_in_the_navigation(language):
    listed = re.findall(r"[\w/-]+\.(?:md|py)\b", (pages.DOCS / f"{language}.yml").read_text("utf-8"))
    missing = set(pages.files(language)) - set(listed)
    assert not missing, f"docs/{language}.yml: list {', '.join(sorted(missing))} in nav"
    assert len(listed) == len(set(listed)), f"docs/{language}.yml: nav lists a page twice"


@pytest.mark.parametrize("page", PAIRS)
def test_one_skeleton(page):
    told = differences(page, pages.read(f"zh/{page}"), pages.read(f"en/{page}"))
    if told:
        pytest.fail("the two languages differ in more than words:\n" + "\n".join(told), pytrace=False)


@pytest.mark.parametrize("page", pages.ALL)
def test_headings(page):
    prose = pages.without_fences(pages.read(page))
    seen = Counter(match["id"] for match in HEADING.finditer(prose))
    for match in HEADING.finditer(prose):
        place, words = f"docs/{page}:{pages.line(prose, match.start())}", match["words"]
        assert match["id"], f"{place}: give the heading an id, the same in both languages: {words} {{ #an-id }}"
        assert seen[match["id"]] == 1, f"{place}: the id #{match['id']} is taken on this page: choose another"
        assert "$" not in words, f"{place}: no TeX in headings, write it in Unicode (√dₖ, QKᵀ): {words}"
    levels = [len(match["level"]) for match in HEADING.finditer(prose)]
    assert levels[:1] == [1] and levels.count(1) == 1, f"docs/{page}: a page has one # heading, its first"
    for upper, lower in itertools.pairwise(levels):
        assert lower <= upper + 1, f"docs/{page}: {'#' * lower} after {'#' * upper}: a level of headings is left out"


@pytest.mark.parametrize("page", pages.ALL)
def test_what_is_cited_is_in_the_references(page):
    text = pages.read(page)
    references = (pages.DOCS / Path(page).parts[0] / "references.md").read_text("utf-8")
    keys = set(re.findall(r"\{[^{}\n]*#([\w-]+)[^{}\n]*\}", references))
    for match in CITED.finditer(text):
        place, key = f"docs/{page}:{pages.line(text, match.start())}", match["key"]
        assert key in keys, f"{place}: references.md has no {{ #{key} }}: add the source, or mend the key"


SAMPLE = """# 题 { #one }

「权重」是 $w_1 + \\text{和}$，再看 $w_2$：0.25。见[甲](other.md#a)。

<!-- numbers: w[0]; cited("a2017", 0.5) -->

```python title="a.py"
# 说明
total = f"{w:.2f} 之和" + "-"  # 再说
```

```pycon
>>> print("和", w)
和 0.25
```

| 词 | 1 |
| --- | --- |

??? question "练习"

    答案。

```figure module="heatmap"
title: 图
Q: [[1, 0]]
```

<!-- source: attention_weights -->
"""
TWIN = (
    SAMPLE.replace("# 题", "# Title")
    .replace(
        "「权重」是 $w_1 + \\text{和}$，再看 $w_2$：0.25。见[甲]", "$w_2$ beside $w_1 + \\text{sum}$: 0.25, see [A]"
    )
    .replace('w[0]; cited("a2017", 0.5)', 'cited("a2017", 0.5); w[0]')
    .replace("# 说明", "# what it does\n# in two lines")
    .replace("之和", "in total")
    .replace("再说", "more")
    .replace("和", "sum")
    .replace("词", "word")
    .replace("练习", "Exercise")
    .replace("答案。", "Answer.")
    .replace("图", "Figure")
)


def test_words_may_differ():
    assert differences("x.md", SAMPLE, TWIN) == []


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("heading", "#one", "#two"),
        ("heading", "# Title", "## Title"),
        ("formula", "w_2", "w_3"),
        ("number", "w[0]", "w[1]"),
        ("number", "a2017", "a2018"),
        ("link", "other.md#a", "other.md#b"),
        ("line of a python fence", "w:.2f", "w:.3f"),
        ("line of a python fence", '"-"', '"+"'),
        ("line of a pycon fence", ", w)", ", v)"),
        ("line of a pycon fence", "sum 0.25", "sum 0.26"),
        ("fence", "```python", "```text"),
        ("fence", "heatmap", "looking"),
        ("line of a figure fence", "[[1, 0]]", "[[1, 1]]"),
        ("line of a figure fence", "title:", "name:"),
        ("table row", "| word | 1 |", "| word | 1 | 2 |"),
        ("box", "question", "note"),
        ("part made by the build", "attention_weights", "attention"),
    ],
)
def test_more_than_words_may_not(kind, old, new):
    assert TWIN.count(old) == 1
    told = differences("x.md", SAMPLE, TWIN.replace(old, new))
    assert f"{kind}:" in told, told
