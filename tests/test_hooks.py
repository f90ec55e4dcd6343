"""What is wrong with a page turns the strict build red, with a message that names the file and leads to the mend."""

import importlib.util
import shutil

import pages
import publish
import pytest
import yaml
from mkdocs.exceptions import PluginError
from pymdownx.superfences import SuperFencesException

COPIED = ["attn", "docs", "mkdocs.yml", "pyproject.toml", "README.md", "LICENSE"]
LEFT_OUT = shutil.ignore_patterns("__pycache__", "zh", "en")
CELL = "# %% [markdown]\n# # 实验 { #lab }\n\n# %%\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with no pages; `project(zh={"index.md": "…"})` builds it with these and says what the build says."""
    root = tmp_path_factory.mktemp("project")
    for name in COPIED:
        copy = shutil.copytree if (pages.ROOT / name).is_dir() else shutil.copy
        copy(pages.ROOT / name, root / name, **{"ignore": LEFT_OUT} if copy is shutil.copytree else {})
    for katex in (pages.ROOT / ".cache").glob("katex-*"):
        shutil.copytree(katex, root / ".cache" / katex.name)

    def build(**languages):
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
        done = publish.build(root, root / "site")
        return done.returncode, publish.complaints(done)

    return build


def test_nothing_is_said_of_good_pages(project):
    assert project(zh={"page.md": "# 页 { #page }\n\n见[首页](index.md#home)，$x^2$。\n"})[0] == 0


FAULTS = {
    "a.md": ("# 甲 { #a }\n\n好。\n\n公式$\\frac{1$坏了。\n", "a.md:5:"),
    "b.md": ("# 乙 { #b }\n\n[去](a.md#nowhere)\n", "'b.md' contains a link 'a.md#nowhere'"),
    "c.md": ("# 丙 { #c }\n\n[去](missing.md)\n", "'c.md' contains a link 'missing.md'"),
    "d.md": ("# 丁 { #d }\n\n<!-- source: attention_wieghts -->\n", "d.md: <!-- source: attention_wieghts -->"),
    "e.md": ("# 戊 { #e }\n\n公式$\\unknown{x}$。\n", "e.md:3:"),
    "lost.md": ("# 己 { #f }\n", "lost.md"),
    "notebooks/g.py": (CELL + "import sys\nprint('怪', file=sys.stderr)\n", "notebooks/g.py: a cell complains: 怪"),
}


@pytest.fixture(scope="module")
def told(project):
    code, told = project(zh={name: text for name, (text, _) in FAULTS.items()})
    assert code != 0
    return told


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told(told, name):
    said = [line for line in told.splitlines() if FAULTS[name][1] in line]
    assert said, f"nothing is said of {name} in:\n{told}"
    assert "[zh]" in said[0] or said[0].startswith("  - "), f"it is not said which language: {said}"


def test_a_figure_that_cannot_be_drawn(project):
    code, told = project(en={"page.md": '# Page { #page }\n\n```figure module="missing"\ntitle: t\n```\n'})
    assert code != 0
    assert "[en]" in told and "'page.md': figure missing: ModuleNotFoundError" in told, told


def test_a_cell_that_raises(project):
    code, told = project(zh={"notebooks/lab.py": CELL + "1 / 0\n"})
    assert code != 0
    assert "[zh]" in told and "'notebooks/lab.py'" in told and "ZeroDivisionError" in told, told


def hook(name):
    spec = importlib.util.spec_from_file_location(f"hooks_{name}", pages.DOCS / "hooks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("title: [", "ParserError"),
        ("description: d\nrows: [甲]\nQ: [[1]]\nK: [[1]]", "'title'"),
        (
            "title: t\ndescription: d\nrows: [甲]\nQ: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]",
            "1 rows and 1 columns",
        ),
    ],
)
def test_a_figure_says_what_its_words_lack(words, reason):
    with pytest.raises(SuperFencesException, match=f"figure heatmap: .*{reason}"):
        hook("figures").fence(words, "figure", "figure", {"module": "heatmap"}, None)


def test_another_katex_is_refused(site, tmp_path):
    """KaTeX is fetched once and kept: what lies there must be what was tried, byte for byte."""
    formulas = hook("formulas")
    kept = pages.ROOT / ".cache" / f"katex-{formulas.VERSION}"
    changed = tmp_path / kept.name
    shutil.copytree(kept, changed)
    assert formulas.fetch(changed) == changed
    with (changed / "katex.min.js").open("a") as script:
        script.write("//")
    with pytest.raises(PluginError, match="Delete the folder and build again"):
        formulas.fetch(changed)


def test_a_session_is_copied_without_prompts_and_outputs():
    code = '<span class="gp">&gt;&gt;&gt; </span>a &lt; "b"\n<span class="go">True</span>\n'
    html = f'<div class="language-pycon highlight"><pre><span></span><code>{code}</code></pre></div>'
    assert 'data-copy="a &lt; &quot;b&quot;">' in hook("pages").on_page_content(html, None, None, None)
