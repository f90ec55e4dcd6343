"""The small language model to play with: its numbers at half precision, and what it says of the first sentence."""

import copy
import hashlib
from functools import cache

import torch

from attn.labs.next_word import GRAMMARS, LONGEST, chances, weights

from figures import chances as picture
from figures.drawing import touchable
from figures.writer import split, taught

SHOW = 2  # the head that is shown first: it looks at places


def draw(words):
    """`words`: those of the chances' picture, and what the element says (theme/assets/widgets/live-machine.js).

    Where it is `full`, one can choose a head and type a sentence.
    """
    language = words["language"]
    model = halved(language)
    sentences = [split(model, sentence) for sentence in words["tries"]]
    told = words | {
        "numbers": name(numbers(language)),
        "layout": [[key, *tensor.shape] for key, tensor in model.state_dict().items()],
        "vocabulary": model.words,
        "show": SHOW,
        "heads": model.blocks[0].attention.num_heads,
        "longest": LONGEST - 1,
        "space": "" if language == "zh" else " ",
        "ends": [GRAMMARS[language].end],
        "senses": senses(language),
        "sentences": sentences,
        "start": state(model, sentences[0]),
    }
    return touchable("live-machine", told, picture.draw(words))


@cache
def halved(language):
    """The trained model as the browser has it: rounded to half precision, computed with in double."""
    return copy.deepcopy(taught(language)[0]).half().double()


def numbers(language) -> bytes:
    """All parameters in the order of the layout, two bytes each, the lower first."""
    parameters = torch.cat([tensor.flatten() for tensor in halved(language).state_dict().values()])
    return parameters.half().numpy().astype("<f2").tobytes()


def name(content: bytes) -> str:
    """Of the file; with a hash, so that a page never meets the numbers of another training."""
    return f"machine-{hashlib.sha256(content).hexdigest()[:8]}.f16"


def senses(language):
    """For each word with two senses: what follows it in either."""
    grammar = GRAMMARS[language]
    return {
        target: {sense: [*own, *shared] for (sense, (_, own)), shared in zip(told.items(), grammar.shared, strict=True)}
        for target, told in grammar.targets.items()
    }


def state(model, sentence):
    """What the last word of a sentence looks at in each head, and the chance of each next word."""
    told = dict(chances(model, sentence))
    return {
        "weights": [[round(w, 4) for w in row] for row in weights(model, sentence)[:, -1].tolist()],
        "chances": [round(told[word], 4) for word in model.words],
    }
