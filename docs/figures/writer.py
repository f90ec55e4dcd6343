"""Where the small language model looks for its next word, or, with two blocks, the waiter who reads orders back."""

import re
from functools import cache

import torch

from attn.labs import orders
from attn.labs.next_word import accuracy, begin, corpus, exam, lessons, weights

from figures.looking import looking

STEP = 66  # what a word takes


@cache
def taught(language, every=25):
    """The trained model, and on the way (step, loss, share of right gaps)."""
    torch.set_num_threads(1)
    model, gaps = begin(language), [gap for gaps in exam(language).values() for gap in gaps]
    log = []
    for step, loss in enumerate(lessons(model, corpus(language), steps=600)):
        if step % every == 0 or step == 599:
            log.append((step, loss, accuracy(model, gaps)))
    return model.eval(), log


@cache
def waiter(language):
    torch.set_num_threads(1)
    return orders.serve(language, layers=2)


def draw(words):
    """`words`: title, description, language, the sentence, the clue; of the waiter, block (first, second).

    The looker is the last word unless it is named; of the heads, that is drawn which looks at the clue most.
    """
    if "block" in words:
        model, layer = waiter(words["language"]), ("first", "second").index(words["block"])
    else:
        model, layer = taught(words["language"])[0], 0
    sentence = split(model, words["sentence"])
    at = sentence.index(words["looker"]) if "looker" in words else len(sentence) - 1
    rows = weights(model, sentence, layer=layer)[:, at + 1, 1:]  # without the start
    row = rows[rows[:, sentence.index(words["clue"])].argmax()]
    return looking(sentence, at, row.tolist(), words["title"], words["description"], STEP)


def split(model, sentence):
    """The words of a sentence as it is written, with or without spaces."""
    return re.findall("|".join(sorted(map(re.escape, model.words), key=len, reverse=True)), sentence)
