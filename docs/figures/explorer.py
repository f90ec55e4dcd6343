"""The trained model of the apple lab to ask: each sentence, each word hidden in turn, computed here by attn."""

import torch

from attn.labs.senses import demos, senses_of

from figures import senses
from figures.drawing import touchable
from figures.senses import model


def draw(words):
    """`words`: those of a trained sentence (senses.py), fruit and company in words, and what the element says."""
    asked = model(words["language"])
    readings = [state(asked, reading, words) for reading in demos(words["language"])]
    start = next(i for i, reading in enumerate(readings) if reading["words"] == words["sentence"])
    return touchable("sense-explorer", words | {"readings": readings, "start": start}, senses.draw(words))


def state(asked, reading, words):
    """What the model looks at and answers with each position hidden, and at last with none."""
    hidden = [[position] for position in range(len(reading.words))] + [None]
    with torch.no_grad():
        states = [
            {
                "weights": [round(w, 4) for w in asked.weights([reading.words], hide)[0, reading.at].tolist()],
                "sense": words[senses_of(asked, [reading], hide)[0]],
            }
            for hide in hidden
        ]
    return {"words": list(reading.words), "at": reading.at, "states": states}
