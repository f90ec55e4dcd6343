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
    """`words`: title, description, language, and the sentence, one of those that the model never learned from."""
    sentence = tuple(words["sentence"])
    reading = next(reading for reading in demos(words["language"]) if reading.words == sentence)
    weights = model(words["language"]).weights([sentence])[0, reading.at].tolist()
    return looking(sentence, reading.at, weights, words["title"], words["description"])
