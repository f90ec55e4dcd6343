"""One module a figure: draw(words) gives SVG that follows light and dark; attn does the sums."""
