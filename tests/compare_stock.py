"""How much lighter than stock: Material as it comes, with KaTeX in the browser, built from the same Markdown.

Run it by itself: `python tests/compare_stock.py [page…]`. It builds both sites, visits the same pages of both in turn,
and prints the ratios of bytes and of the time for which a slow phone is blocked (best measured on a quiet machine).
Notebooks are left out: stock Material has none.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "docs"))
import conftest
import pages
import publish
import test_weight
import yaml
from playwright.sync_api import sync_playwright

ROUNDS = 5
KEPT = ["font", "features", "palette"]  # what both let the reader do: search, copy, choose light or dark
START = """document$.subscribe(() => renderMathInElement(document.body, { delimiters: [
  { left: "\\\\(", right: "\\\\)", display: false }, { left: "\\\\[", right: "\\\\]", display: true }] }));"""
BLOCKING = """window.blocking = 0;
new PerformanceObserver((list) => { for (const task of list.getEntries()) window.blocking += task.duration - 50; })
  .observe({ type: "longtask", buffered: true });"""


def stock(language, folder):
    """The pages of a language in a project without hooks and overrides; only figures keep what we draw for them."""
    katex = next((pages.ROOT / ".cache").glob("katex-*"))
    docs = folder / "docs"
    shutil.copytree(pages.DOCS / language, docs, ignore=shutil.ignore_patterns("*.py"))
    scripts = docs / "katex"
    (scripts / "fonts").mkdir(parents=True)
    for name in "katex.min.js", "katex.min.css", "contrib/auto-render.min.js":
        shutil.copy(katex / name, scripts / Path(name).name)
    for font in (katex / "fonts").glob("*.woff2"):
        shutil.copy(font, scripts / "fonts" / font.name)
    (scripts / "start.js").write_text(START, "utf-8")
    common = yaml.safe_load(re.sub(r"!ENV \[[^\]]*\]", "null", (pages.ROOT / "mkdocs.yml").read_text("utf-8")))
    config = {
        "site_name": "stock",
        "theme": {"name": "material", "language": language} | {key: common["theme"][key] for key in KEPT},
        "extra_css": ["katex/katex.min.css"],
        "extra_javascript": [f"katex/{name}" for name in ("katex.min.js", "auto-render.min.js", "start.js")],
        "markdown_extensions": common["markdown_extensions"],
        "plugins": ["search"],
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True), "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--site-dir", str(folder / "site" / language)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return folder / "site"


def measure(browser, url, page, sent):
    sent.clear()
    context = browser.new_context(viewport=test_weight.SIZES[0])
    tab = context.new_page()
    tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": 4})  # a phone
    tab.add_init_script(BLOCKING)
    tab.goto(url + pages.address(page))
    tab.wait_for_load_state("networkidle")
    tab.wait_for_timeout(300)
    blocking = tab.evaluate("window.blocking")
    context.close()
    return sum(length for _, length in sent), blocking


def main(chosen):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        built = publish.build(pages.ROOT, folder / "ours")
        if built.returncode:
            sys.exit(publish.complaints(built))
        language = chosen[0][:2]
        (folder / "stock").mkdir()
        sites = {"ours": folder / "ours", "stock": stock(language, folder / "stock")}
        results = {}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=conftest.chromium(), args=conftest.FLAGS)
            for _ in range(ROUNDS):
                for name, site in sites.items():  # in turn, so that a busy minute hits both
                    sent = []
                    with publish.serve(site, type("Handler", (test_weight.Gzipping,), {"sent": sent})) as url:
                        for page in chosen:
                            results.setdefault((page, name), []).append(measure(browser, url, page, sent))
            browser.close()
    print(f"{'page':32} {'kB ours':>8} {'stock':>6} {'ratio':>6}  {'ms blocked':>10} {'stock':>6} {'ratio':>6}")
    totals = [0.0] * 4
    for page in chosen:
        row = [statistics.median(column) for name in sites for column in zip(*results[page, name], strict=True)]
        totals = [total + value for total, value in zip(totals, row, strict=True)]
        show(page, row)
    show("all", totals)


def show(name, row):
    bytes_ours, blocked_ours, bytes_stock, blocked_stock = row
    print(
        f"{name:32} {bytes_ours / 1000:8.1f} {bytes_stock / 1000:6.1f} {bytes_ours / bytes_stock:6.2f}"
        f"  {blocked_ours:10.0f} {blocked_stock:6.0f} {blocked_ours / max(blocked_stock, 1):6.2f}"
    )


if __name__ == "__main__":
    main(sys.argv[1:] or [f"zh/{name}.md" for name in ("index", "formula", "by-hand", "why-scale", "deeper/scoring")])
