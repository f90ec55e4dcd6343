"""Keep of the styles of others what the site uses: two fifths of Material's speak of parts that no page here has."""

import re
from pathlib import Path

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
COMMA = re.compile(r",(?![^(]*\))")
NEGATED = re.compile(r":(?:not|is|where)\([^)]*\)")
CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
CHOSEN = re.compile(r"\[(dir|data-md-color-\w+)=[\"']?([\w-]+)")
ICON = re.compile(r"(--[\w-]+):url\(\"data:[^\"]*\"\);?")


def trim(site: Path):
    """Take out of the styles of a built site all that names what is nowhere in it."""
    html = {path.read_text("utf-8") for path in site.rglob("*.html")}
    scripts = {path.read_text("utf-8") for path in site.rglob("*.js")}
    words = {word for text in html | scripts for word in re.findall(r"[\w-]+", text)}
    attributes = {match for text in html for match in re.findall(r"(dir|data-md-color-\w+)=\"([\w-]+)\"", text)}
    for path in [*site.glob("assets/stylesheets/*.css"), *site.glob("assets/katex/*.css")]:
        css = RULE.sub(lambda rule: kept(*rule.groups(), words, attributes), path.read_text("utf-8"))
        path.write_text(re.sub(r"@media[^{}]*\{\}", "", without_icons(css)), "utf-8")


def without_icons(css):
    return ICON.sub(lambda icon: icon[0] if f"var({icon[1]})" in css else "", css)


def kept(selectors, body, words, attributes):
    """A rule without the selectors that name a class, a direction or a colour that is nowhere to be found."""
    left = [
        selector
        for selector in COMMA.split(selectors)
        if set(CLASS.findall(bare := NEGATED.sub("", selector))) <= words and set(CHOSEN.findall(bare)) <= attributes
    ]
    return f"{','.join(left)}{{{body}}}" if left else ""
