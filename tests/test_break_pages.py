"""The tool that breaks the pages breaks what it says, and a small sample of its changes is noticed every time."""

import random
from collections import Counter

import break_pages
import changes
import pages
import pytest

TEXT = r"""# 题 { #one }

权重是 0.67，另一个是 0.33，共 2 个。$K^\top$ 与 $x_1 \times 2 - \sqrt{d_k} = \frac{1}{d_k}$。

<!-- numbers: a; b -->

| 词 | 5 |
| --- | --- |

```pycon
>>> a = f(1.5, dim=-1) + 2  # 3 个
>>> a
0.99
```

```figure module="heatmap"
title: 图
```

??? success "答案"

    没有。

完。
"""


def becomes(kind):
    return [(change.was, change.becomes) for change in changes.all_of("zh/p.md", TEXT) if kind in change.kind]


def test_every_kind_of_change():
    found = Counter(change.kind for change in changes.all_of("zh/p.md", TEXT))
    assert found == {
        "decimal": 4,
        "two decimals swapped": 1,
        "whole number in prose": 2,
        "whole number in a table": 1,
        "whole number in a calculation": 2,
        "formula of a calculation": 10,
        "formula without numbers": 1,
        "literal in a block": 3,
        "operator in a block": 1,
        "line of an output": 1,
        "line of an output left out": 1,
        "block left out": 1,
        "figure left out": 1,
        "answer left out": 1,
    }


def test_what_becomes_of_it():
    assert [now[:11] for _, now in becomes("decimal")[:2]] == ["权重是 0.68，另一", "权重是 0.66，另一"]
    assert becomes("swapped") == [("0.67", "0.33")]
    assert becomes("table") == [("| 词 | 5 |", "| 词 | 6 |")]
    assert all("$K$" in now for _, now in becomes("without numbers"))
    assert (">>> a = f(1.5, dim=-1) + 2 # 3 个", ">>> a = f(1.5, dim=-1) - 2 # 3 个") in becomes("operator")
    assert (">>> a = f(1.5, dim=-1) + 2 # 3 个", ">>> a = f(1.5, dim=-2) + 2 # 3 个") in becomes("literal")
    assert ("0.99", "0.90") in becomes("output")
    assert all(change.text != TEXT for change in changes.all_of("zh/p.md", TEXT))


def test_an_endless_page_is_noticed(monkeypatch):
    monkeypatch.setattr(break_pages, "SECONDS", 1)
    endless = changes.Change("zh/p.md", "literal in a block", 1, "", "", "```python\nwhile True:\n    pass\n```\n")
    if hasattr(break_pages.signal, "setitimer"):
        assert break_pages.noticed(endless) == (True, True)


@pytest.fixture(scope="module")
def collected():
    return break_pages.collect(["by-hand", "formula", "attention-matrix"])


def test_the_canaries_live(collected):
    _, birds, _ = collected
    assert len(birds) > 5
    dead = [change for change, alike, _ in break_pages.run(birds, workers=0) if alike]
    assert not dead, "what changes nothing is taken for a fault:\n" + "\n".join(map(str, dead))


def test_a_sample_is_noticed(collected):
    todo, _, broken = collected
    assert not broken
    todo = [change for change in todo if change.kind in break_pages.TARGETS]
    results = list(break_pages.run(random.Random(0).sample(todo, 80), workers=0))
    alike, alone = break_pages.survivors(results)
    told = "\n".join(map(str, alike))
    assert len(alike) <= len(results) * 0.05, f"nobody would notice these (see tests/break_pages.py):\n{told}"
    assert not alone, "nobody would notice these in one language:\n" + "\n".join(map(str, alone))


@pytest.mark.parametrize("page", pages.ALL)
def test_no_page_says_less(page):
    less = break_pages.less(page, pages.read(page))
    told = f"docs/{page} has only {'; '.join(less)}: if that is meant, lower the numbers in tests/counts.toml"
    assert not less, told
