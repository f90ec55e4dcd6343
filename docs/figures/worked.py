"""The worked example as a figure one can touch; without script it is the heatmap of the page's numbers."""

import json
from html import escape

from figures import heatmap


def draw(words):
    """`words`: those of a heatmap, V, and what the element says (theme/assets/widgets/worked-example.js)."""
    return f'<worked-example data-words="{escape(json.dumps(words, ensure_ascii=False))}">{heatmap.draw(words)}</worked-example>'
