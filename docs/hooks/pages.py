"""Put the source of attn into pages, take the lines of numbers out, and say at the foot what was run."""

import logging
import re
import sys
from contextlib import suppress
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise.fences import unprompted
from promise.numbers import STRIP
from promise.page import run
from promise.source import as_fences

log = logging.getLogger("mkdocs.hooks.pages")
SESSION = re.compile(r'(<div class="language-pycon highlight")>(.*?</code></pre>)', re.S)
CORNER = re.compile(r"<th([^>]*)></th>")  # of a table: it heads nothing


def on_page_markdown(markdown, page, config, files):
    try:
        markdown = as_fences(markdown)
    except LookupError as error:
        log.warning("%s: %s", page.file.src_uri, error)
    return STRIP.sub("", markdown)


def on_page_content(html, page, config, files):
    """Let the copy button of a session give its code alone: it takes `data-copy` where there is one."""

    def with_code(match):
        code = unprompted(unescape(re.sub(r"<[^>]*>", "", match[2])))
        return f'{match[1]} data-copy="{escape(code)}">{match[2]}'

    return CORNER.sub(r"<td\1></td>", SESSION.sub(with_code, html))


def on_page_context(context, page, config, nav):
    """The template (theme/partials/content.html) writes `page.ran` under the page."""
    if "ran" in config.extra:
        blocks = 0
        with suppress(LookupError):  # an unknown name, told above
            blocks, numbers = run(Path(page.file.abs_src_path))
        if blocks:
            torch = re.match(r"\d+\.\d+", version("torch"))[0]
            sentence = config.extra["ran" if numbers else "ran_code"]
            page.ran = escape(sentence.format(blocks=blocks, numbers=numbers, torch=torch))
