"""The trained model of the apple lab to ask: each sentence, each word hidden in turn, computed here by attn."""

import torch

from attn.labs.senses import demos, senses_of

from figures.drawing import touchable
from figures.looking import looking
from figures.senses import model


def draw(words):
    """`words`: title, description, language, fruit and company in words, and what the element says."""
    asked = model(words["language"])
    readings = [state(asked, reading, words) for reading in demos(words["language"])]
    first = readings[0]
    weights = first["states"][-1]["weights"]
    picture = looking(first["words"], first["at"], weights, words["title"], words["description"])
    start = next(i for i, reading in enumerate(readings) if flips(reading))
    return touchable("sense-explorer", words | {"readings": readings, "start": start}, picture)


def flips(reading):
    """Whether the answer changes when the heaviest word is hidden: a good sentence to begin with."""
    seen = reading["states"][-1]
    heaviest = seen["weights"].index(max(seen["weights"]))
    return reading["states"][heaviest]["sense"] != seen["sense"]


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
