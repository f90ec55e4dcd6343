"""What a first visit costs: bytes as they travel, requests, and how much the page jumps while it loads.

`pytest tests/test_weight.py -s` prints the table. Pages are visited on phone and desktop in turn; EVERY=1: on both.
"""

import functools
import gzip
import os
from pathlib import Path

import pages
import publish
import pytest

SIZES = [{"width": 360, "height": 740}, {"width": 1350, "height": 940}]
TEXT, FORMULAS, NOTEBOOK = 85_000, 130_000, 175_000  # bytes: a page without formulas, with formulas, a notebook
REQUESTS, SHIFT = 14, 0.01
PACKED = {".woff2", ".png", ".whl", ".gz"}
WATCH = """window.shift = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })
  .observe({ type: "layout-shift", buffered: true });"""


packed = functools.cache(functools.partial(gzip.compress, compresslevel=6))


class Gzipping(publish.Handler):
    """A host that compresses, as all do, and notes what it sends."""

    sent: list

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return super().do_GET()
        body = path.read_bytes()
        self.send_response(200)
        if path.suffix not in PACKED:
            body = packed(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.sent.append((self.headers["User-Agent"], path.name, len(body)))
        self.wfile.write(body)


VISITS = [
    (page, size) for i, page in enumerate(pages.ALL) for size in (SIZES if os.environ.get("EVERY") else [SIZES[i % 2]])
]
AT_ONCE = 10  # visits, each with an empty cache of its own: most of a visit is waiting for what may come late


@pytest.fixture(scope="module")
def weigh(site, browser):
    """What a visit sent, and how much its content jumped. At the end, all in a table."""
    rows, sent = {}, []
    with publish.serve(site, type("Handler", (Gzipping,), {"sent": sent})) as url:

        def visited(page, size):
            number = VISITS.index((page, size))
            if number not in rows:
                rows.update(visit(browser, url, range(number, min(number + AT_ONCE, len(VISITS)))))
            own = [(file, length) for visitor, file, length in sent if visitor == name(number)]
            return own, rows[number]

        yield visited
    print(f"\n{'page':36} {'px':>5} {'kB':>6} requests  shift")
    for number, shift in rows.items():
        (page, size), own = VISITS[number], [length for visitor, _, length in sent if visitor == name(number)]
        print(f"{page:36} {size['width']:5} {sum(own) / 1000:6.1f} {len(own):8} {shift:.4f}")


def visit(browser, url, numbers):
    """How much the content of each page jumped."""
    tabs = {}
    for number in numbers:
        page, size = VISITS[number]
        tabs[number] = browser.new_context(viewport=size, user_agent=name(number)).new_page()
        tabs[number].add_init_script(WATCH)
        tabs[number].goto(url + pages.address(page))
    for number, tab in tabs.items():
        tab.wait_for_load_state("networkidle")
        tab.evaluate("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
        yield number, tab.evaluate("window.shift")
        tab.context.close()


def name(number):
    """Who visits, as the server sees it."""
    return f"visit {number}"


def limit(page, site):
    if page.endswith(".py"):
        return NOTEBOOK
    html = Path(site, pages.address(page), "index.html").read_text("utf-8")
    return FORMULAS if "<math" in html else TEXT


@pytest.mark.parametrize(("page", "size"), VISITS, ids=[f"{page}-{size['width']}" for page, size in VISITS])
def test_a_first_visit(weigh, site, page, size):
    sent, shift = weigh(page, size)
    bytes = sum(length for _, length in sent)
    heaviest = sorted(sent, key=lambda file: -file[1])[:5]
    assert bytes <= limit(page, site), f"docs/{page} weighs {bytes} bytes: {heaviest}"
    assert len(sent) <= REQUESTS, f"docs/{page} asks for {len(sent)} files: {[name for name, _ in sent]}"
    assert shift <= SHIFT, f"docs/{page} jumps while it loads: {shift:.3f}"
    names = " ".join(name for name, _ in sent)
    assert "entries.json" not in names, "the search index is for those who search"
    assert "katex.min.js" not in names and "mathjax" not in names.lower(), "formulas need no script"
