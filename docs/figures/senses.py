"""What the trained model of the apple lab looks at: its weights, not vectors set by hand."""

from functools import cache

import torch

from attn.labs.senses import demos, learn

from figures.looking import looking


@cache
def model(language):
    torch.set_num_threads(1)
    return learn(language)


def draw(words):
    """`words`: title, description, language, the sentence, one that the model never learned from, and who looks."""
    reading = demos(words["language"])[chosen(words)]
    weights = weights_of(model(words["language"]), reading)
    return looking(reading.words, reading.at, weights, words["title"], words["description"])


def chosen(words):
    """Which of the readings shown has this sentence and this looker."""
    sentence, looker = words["sentence"].replace(" ", ""), words["looker"]
    told = [("".join(reading.words), reading.words[reading.at]) for reading in demos(words["language"])]
    return told.index((sentence, looker))


@torch.no_grad()
def weights_of(asked, reading, hide=None):
    """How much each word of the sentence counts, with one position hidden or none."""
    return asked.weights(asked.read([reading]), None if hide is None else torch.tensor([hide]))[0].tolist()
