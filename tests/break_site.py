"""Break the built site, one thing at a time, and see that a test notices.

    python tests/break_site.py                  everything
    python tests/break_site.py figure font nav  some of it, by a part of its name

What git tracks is copied, and the site built from the copy, once. For each damage the tests run in a copy of both, one
of them damaged, and nothing is built again; the slow ones run only if the others notice nothing. Without damage they
must pass. Exits with 1 if a damage goes unnoticed, with 2 if an undamaged site fails. Takes half an hour, so it is run
on demand; Chromium is needed for the scripts and widgets.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
URL = "http://site.invalid/attn/"  # what the site is built for; each copy of it names its own server instead
FAST = ["site", "twins", "terms", "reference", "figures"]  # the tests that run first
SLOW = ["widgets", "browser", "search", "wheel"]
BUILD = f'''
import shutil


def build(root, folder, **environment):
    shutil.copytree(os.environ["BROKEN_SITE"], folder, dirs_exist_ok=True)
    for path in Path(folder).rglob("*"):
        if path.suffix in {{".html", ".xml", ".json", ".txt"}}:
            path.write_text(path.read_text("utf-8").replace("{URL}", environment["SITE_URL"]), "utf-8")
    return subprocess.CompletedProcess([], 0, "", "")
'''


def without(path):
    return lambda folder: next(folder.glob(path)).unlink()


def edit(path, pattern, becomes):
    """Replace the first match of a pattern in a file."""

    def damage(folder):
        file = next(folder.glob(path))
        text, found = re.subn(pattern, becomes, file.read_text("utf-8"), count=1, flags=re.S)
        assert found, f"{path} has no {pattern}"
        file.write_text(text, "utf-8")

    return damage


SITE = {
    "zh page left out": without("zh/formula/index.html"),
    "en page left out": without("en/by-hand/index.html"),
    "notebook left out": without("zh/notebooks/complete-example/index.html"),
    "figure left out": edit("zh/by-hand/index.html", r'<svg[^>]*role="img".*?</svg>', ""),
    "figure without its name": edit("en/by-hand/index.html", r"<title id=.*?</title>", ""),
    "formula left raw": edit("zh/formula/index.html", r"<tex-display.*?</tex-display>", r"$$QK^\\top$$"),
    "line of numbers left in": edit("zh/formula/index.html", r"</p>", "</p><!-- numbers: weights -->"),
    "CSS left out": without("assets/attn.css"),
    "CSS of formulas left out": without("**/katex.min.css"),
    "font left out": without("**/fonts/KaTeX_*.woff2"),
    "script left out": without("assets/attn.js"),
    "script of a widget left out": without("zh/assets/widgets/attention.js"),
    "sum of a widget": edit("zh/assets/widgets/attention.js", r"score / Math\.sqrt", "score * Math.sqrt"),
    "request to another site": edit(
        "zh/index.html", "</head>", '<script src="https://example.org/a.js"></script></head>'
    ),
    "broken link": edit("en/index.html", r'href="by-hand/', 'href="by-hands/'),
    "search index left out": without("zh/search/search_index.json"),
    "search entries left out": without("en/search/entries.json"),
    "search worker without its entries": edit("zh/assets/javascripts/workers/*.js", "entries.json", "entry.json"),
    "wheel left out": without("*.whl"),
    "sitemap left out": without("sitemap.xml"),
    "term in a tooltip": edit("zh/formula/index.html", r'<abbr[^>]*title="[^"]+"', '<abbr title=""'),
}
SOURCE = {
    "nav entry left out": edit("docs/zh.yml", r"\n[^\n]*formula\.md", ""),
    "nav entry moved": edit("docs/en.yml", r"(\n[^\n]*formula\.md)(\n[^\n]*why-scale\.md)", r"\2\1"),
    "source of a page left out": without("docs/en/formula.md"),
    "term against the table": edit("docs/zh/formula.md", "注意力权重", "关注权重"),
    "id of a heading": edit("docs/en/formula.md", r"\{ #softmax \}", "{ #soft-max }"),
}


def tracked(folder):
    """A copy of what git tracks: others may go on writing meanwhile."""
    for file in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0"):
        if file and (ROOT / file).exists():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)


def complaint(tests, source, site, damage=None) -> str:
    """What the tests say of copies of the source and of the site, one of them damaged; nothing if they pass."""
    with tempfile.TemporaryDirectory() as folder:
        copy, broken = Path(folder, "copy"), Path(folder, "site")
        shutil.copytree(source, copy)
        shutil.copytree(site, broken)
        if damage:
            damage(broken if damage in SITE.values() else copy)
        publish = copy / "tests" / "publish.py"
        publish.write_text(publish.read_text("utf-8") + BUILD, "utf-8")
        files = [str(copy / "tests" / f"test_{name}.py") for name in tests]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
        environment = os.environ | {"BROKEN_SITE": str(broken), "PYTHONPATH": str(copy)}
        process = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, encoding="utf-8")
        return process.stdout[-1500:] if process.returncode else ""


def main(names):
    started, missed, sound = time.monotonic(), [], set()
    todo = {
        name: damage for name, damage in (SITE | SOURCE).items() if not names or any(part in name for part in names)
    }
    with tempfile.TemporaryDirectory() as folder:
        source, site = Path(folder, "source"), Path(folder, "site")
        tracked(source)
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "--site-dir", str(site)]
        environment = os.environ | {"SITE_URL": URL, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(source)}
        subprocess.run(command, cwd=source, env=environment, check=True)
        for name, damage in todo.items():
            told = ""
            for tests in FAST, SLOW:
                if tests[0] not in sound and (told := complaint(tests, source, site)):
                    print(f"{told}\nThese fail without any damage, so their word means nothing: {', '.join(tests)}")
                    return 2
                sound.add(tests[0])
                if told := complaint(tests, source, site, damage):
                    break
            print(f"{name}: {verdict(told)}", flush=True)
            missed += [name] * (not told)
    print(f"{len(todo) - len(missed)} of {len(todo)} noticed, in {time.monotonic() - started:.0f} s.")
    return int(bool(missed))


def verdict(told):
    """Which test has failed, as pytest says at its end."""
    failed = re.findall(r"^(?:FAILED|ERROR) \S*?(test_\w+\.py\S*)", told, re.M)
    return f"noticed by {failed[0]}" if failed else "noticed" if told else "NOT NOTICED"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
