"""The trained model of the apple lab to ask: each sentence, each word hidden in turn, computed here by attn."""

from attn.labs.senses import demos, senses_of

from figures import senses
from figures.drawing import touchable
from figures.senses import chosen, model, weights_of


def draw(words):
    """`words`: those of a trained sentence and its looker (senses.py), and what the element says."""
    asked = model(words["language"])
    readings = [state(asked, reading) for reading in demos(words["language"])]
    told = words | {"readings": readings, "start": chosen(words)}
    return touchable("sense-explorer", told, senses.draw(words))


def state(asked, reading):
    """What the model looks at and answers with each position hidden, and at last with none."""
    states = [
        {
            "weights": [round(weight, 4) for weight in weights_of(asked, reading, hide)],
            "sense": senses_of(asked, [reading], None if hide is None else [hide])[0],
        }
        for hide in (*range(len(reading.words)), None)
    ]
    return {"words": list(reading.words), "at": reading.at, "states": states}
