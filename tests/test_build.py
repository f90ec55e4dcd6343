"""What is wrong with a page turns the strict build red, in words that lead to the mend; what is wrong with the world
does not stop the build."""

import logging
import shutil
import socket
import tarfile
import threading

import pages
import publish
import pytest
import yaml
from mkdocs.structure.files import Files
from pymdownx.superfences import SuperFencesException

from engine import katex, search
from engine.extension import Site
from engine.page import Page
from engine.shown import render

COPIED = ["attn", "docs", "mkdocs.yml", "pyproject.toml", "README.md", "LICENSE"]
LEFT_OUT = shutil.ignore_patterns("__pycache__", "zh", "en")
CELL = "# %% [markdown]\n# # 实验 { #lab }\n\n# %%\n"
NOWHERE = "http://127.0.0.1:9"  # no server listens there


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with no pages; `project(zh={"index.md": "…"})` builds it with these and says what the build says."""
    root = tmp_path_factory.mktemp("project")
    for name in COPIED:
        copy = shutil.copytree if (pages.ROOT / name).is_dir() else shutil.copy
        copy(pages.ROOT / name, root / name, **{"ignore": LEFT_OUT} if copy is shutil.copytree else {})

    def build(katex=True, environment=(), **languages):
        shutil.rmtree(root / ".cache" / "katex", ignore_errors=True)
        if katex:
            shutil.copytree(pages.ROOT / ".cache" / "katex", root / ".cache" / "katex")
        for language in pages.LANGUAGES:
            folder = root / "docs" / language
            shutil.rmtree(folder, ignore_errors=True)
            written = {"index.md": "# 首页 { #home }\n"} | languages.get(language, {})
            for name, text in written.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, "utf-8")
            settings = yaml.safe_load((pages.DOCS / f"{language}.yml").read_text("utf-8"))
            settings["nav"] = [name for name in written if not name.startswith("lost")]
            (root / "docs" / f"{language}.yml").write_text(yaml.safe_dump(settings, allow_unicode=True), "utf-8")
        done = publish.build(root, root / "site", **dict(environment))
        return done.returncode, publish.complaints(done), root / "site"

    return build


def test_nothing_is_said_of_good_pages(project):
    code, told, _ = project(
        zh={"page.md": "# 页 { #page }\n\n见[首页](index.md#home)，$x^2$。\n"}, environment={"SITE_URL": ""}
    )
    assert code == 0, told


def test_what_is_printed_in_pieces_is_one_output(project):
    """A busy machine cuts what a cell prints, within a line, too."""
    cell = "import time\n\nprint('a', end='', flush=True)\ntime.sleep(0.5)\nprint(' b')\n\n"
    page = f"{CELL}{cell}# %% [markdown]\n# <!-- prints:\n# a b\n# -->\n"
    code, told, _ = project(zh={"notebooks/page.py": page})
    assert code == 0, told


FAULTS = {
    "a.md": ("# 甲 { #a }\n\n好。\n\n公式$\\frac{1$坏了。\n", "a.md:5:"),
    "b.md": ("# 乙 { #b }\n\n[去](a.md#nowhere)\n", "'b.md' contains a link 'a.md#nowhere'"),
    "c.md": ("# 丙 { #c }\n\n[去](missing.md)\n", "'c.md' contains a link 'missing.md'"),
    "d.md": ("# 丁 { #d }\n\n<!-- source: attention_wieghts -->\n", "d.md: <!-- source: attention_wieghts -->"),
    "e.md": ("---\ntitle: 戊\n---\n# 戊 { #e }\n\n公式$\\unknown{x}$。\n", "e.md:6:"),
    "f.md": ("# 己缩放 { #f }\n\n先说缩放。\n\n再看$缩放$。\n", "f.md:5:"),
    "lost.md": ("# 庚 { #g }\n", "lost.md"),
    "notebooks/h.py": (CELL + "import sys\nprint('怪', file=sys.stderr)\n", "notebooks/h.py:4: a cell complains: 怪"),
    "notebooks/i.py": (CELL + "print(2)\n\n# %% [markdown]\n# <!-- prints:\n# 1\n# -->\n", "i.py:4: executed"),
}


@pytest.fixture(scope="module")
def told(project):
    code, told, _ = project(zh={name: text for name, (text, _) in FAULTS.items()})
    assert code != 0
    return told


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told(told, name):
    said = [line for line in told.splitlines() if FAULTS[name][1] in line]
    assert said, f"nothing is said of {name} in:\n{told}"
    assert "[zh]" in said[0] or said[0].startswith("  - "), f"it is not said which language: {said}"


def test_a_figure_that_cannot_be_drawn(project):
    code, told, _ = project(en={"page.md": '# Page { #page }\n\n```figure module="missing"\ntitle: t\n```\n'})
    assert code != 0
    assert "[en]" in told and "'page.md': figure missing: ModuleNotFoundError" in told, told


def test_a_cell_that_raises(project):
    code, told, _ = project(zh={"notebooks/lab.py": CELL + "1 / 0\n"})
    assert code != 0
    assert "[zh]" in told and "'notebooks/lab.py'" in told and "ZeroDivisionError" in told, told


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("title: [", "ParserError"),
        ("description: d\nrows: [甲]\nQ: [[1]]\nK: [[1]]", "'title'"),
        ("title: t\ndescription: d\nrows: [甲]\nQ: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]", "1 rows and 1 columns"),
    ],
)
def test_a_figure_says_what_its_words_lack(words, reason):
    with pytest.raises(SuperFencesException, match=f"figure heatmap: .*{reason}"):
        Site().figure(words, {"module": "heatmap"})


def test_a_session_is_copied_without_prompts_and_outputs():
    html = render(Page.of('```pycon\n>>> a < "b"\nTrue\n```\n', "docs/zh/page.md"), Site())
    assert 'data-copy="a &lt; &quot;b&quot;">' in html


# KaTeX


def test_without_katex_the_site_is_built_all_the_same(project):
    page = "# 页 { #page }\n\n公式$x^2$，与\n\n$$\ny < 1\n$$\n"
    code, told, site = project(zh={"page.md": page}, katex=False, environment={"npm_config_registry": NOWHERE})
    assert code != 0 and told.count("formulas stay TeX: KaTeX") == 1, told  # strict, and it was told
    assert "name a mirror of the npm registry" in told
    html = (site / "zh" / "page" / "index.html").read_text("utf-8")
    assert "<tex-inline data-search-exclude>x^2</tex-inline>" in html.replace('=""', "") and "y &lt; 1" in html


@pytest.fixture
def empty(site, tmp_path, monkeypatch):
    """A cache that has no KaTeX yet; gives the folder that holds the one of the project."""
    monkeypatch.setattr(katex, "folder", lambda kind: tmp_path)
    katex.library.cache_clear()
    yield pages.ROOT / ".cache" / "katex" / katex.VERSION
    katex.library.cache_clear()


def test_the_mirror_of_the_user_is_asked(empty, tmp_path, monkeypatch):
    served = tmp_path / "served"
    archive = served / "katex" / "-" / f"katex-{katex.VERSION}.tgz"
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as files:
        files.add(empty, "package/dist")
    with publish.serve(served) as url:
        monkeypatch.setenv("npm_config_registry", url)
        assert katex.digest(katex.library()) == katex.SHA256


def test_another_katex_is_refused(empty, tmp_path, monkeypatch, caplog):
    """What lies in the cache, and what comes, must be what was tried, byte for byte."""
    monkeypatch.setenv("npm_config_registry", NOWHERE)
    shutil.copytree(empty, tmp_path / katex.VERSION)
    assert katex.library() == tmp_path / katex.VERSION
    with (tmp_path / katex.VERSION / "katex.min.js").open("a") as script:
        script.write("//")
    katex.library.cache_clear()
    assert katex.library() is None and "could not be fetched" in caplog.text


def test_a_network_that_never_answers_is_given_up(empty, monkeypatch, caplog):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kept = []
        threading.Thread(target=lambda: kept.append(silent.accept()), daemon=True).start()
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr(katex, "SECONDS", 0.2)
        assert katex.library() is None and "timed out" in caplog.text


# Another release of the theme


def test_a_theme_without_the_worker_keeps_its_own_search(caplog):
    class Config:
        extra, docs_dir = {}, "docs/zh"

    with caplog.at_level(logging.WARNING):
        search.replace_worker(Files([]), Config)
    assert not Config.extra["own_search"] and "its own search serves" in caplog.text
