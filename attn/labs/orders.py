"""Who ordered what? A task that two blocks of attention learn in seconds, and one does not.

Guests order, and the waiter reads their orders back in another order. Who orders what is drawn anew in every sentence,
so that no number of a model can keep it: the answer must be looked up in the sentence itself. It stands behind the
guest's name, and there lies the trouble. Whoever looks for the name finds the name. In a first block, though, each
thing can look at the name before it, and take it along; in a second, the name finds the thing.

>>> sentence = orders("en", size=1)[0]
>>> print(*sentence)
gus soup hal rice dan cake ann cake ; dan cake ann cake dan cake hal rice
"""

import random
from collections.abc import Sequence
from typing import Any

from attn.labs.next_word import START, Gap, Writer, lessons, seeded

GUESTS = {
    "zh": ("小安", "小白", "小陈", "小丁", "小方", "小高", "小何", "小江"),
    "en": ("ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"),
}
THINGS = {"zh": ("茶", "粥", "面", "饼", "汤"), "en": ("tea", "milk", "soup", "cake", "rice")}
JOINT = {"zh": "；", "en": ";"}
AT_TABLE = 4
ASKED = slice(2 * AT_TABLE + 2, None, 2)  # where the answers stand: what was ordered, behind each name read back
SPREAD, RATE = 0.3, 0.003  # with shorter vectors or longer steps, two blocks take longer


def orders(language: str, size: int = 3000, seed: int = 0) -> list[list[str]]:
    """Sentences in which four guests order, and four times one of them is asked what it was."""
    choose = random.Random(seed)
    sentences = []
    for _ in range(size):
        ordered = {guest: choose.choice(THINGS[language]) for guest in choose.sample(GUESTS[language], AT_TABLE)}
        again = [choose.choice(list(ordered)) for _ in range(AT_TABLE)]
        told = [word for guest in ordered for word in (guest, ordered[guest])]
        sentences.append([*told, JOINT[language], *(word for guest in again for word in (guest, ordered[guest]))])
    return sentences


def exam(language: str, size: int = 400) -> list[Gap]:
    """Sentences that break off behind the first name read back, none of which is learned from."""
    gaps, first, known = [], ASKED.start, {tuple(sentence) for sentence in orders(language)}
    for sentence in orders(language, size, seed=-1):
        if tuple(sentence) not in known:
            name = sentence[first - 1]
            gaps.append(Gap(tuple(sentence[:first]), sentence.index(name) + 1, (sentence[first],)))
    return gaps


def commonest(gaps: Sequence[Gap]) -> float:
    """The best that one can do who knows what was ordered, but not by whom: the share of what was ordered most."""
    counts = [
        max(ordered.count(thing) for thing in ordered) for ordered in (gap.words[1 : 2 * AT_TABLE : 2] for gap in gaps)
    ]
    return sum(counts) / (AT_TABLE * len(gaps))


def serve(language: str, *, layers: int, num_heads: int = 1, steps: int = 500, seed: int = 0, **options: Any) -> Writer:
    """A model that has learned to read orders back; `options` are those of `Writer`."""
    words = (START, *GUESTS[language], *THINGS[language], JOINT[language])
    model = seeded(words, seed, layers=layers, num_heads=num_heads, spread=SPREAD, **options)
    for _ in lessons(model, orders(language), steps=steps, rate=RATE, seed=seed, asked=ASKED):
        pass
    return model.eval()
