"""The worked example as a figure one can touch; without script it is the heatmap of the page's numbers."""

from figures import heatmap
from figures.drawing import touchable


def draw(words):
    """`words`: those of a heatmap, V, and what the element says (theme/assets/widgets/worked-example.js)."""
    return touchable("worked-example", words, heatmap.draw(words))
