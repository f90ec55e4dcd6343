"""What is kept is used again only if nothing that it was made from has changed."""

import re
import shutil
import sys

import pages
import pytest

from engine import cache


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the code, and an empty cache."""
    for place in ("attn", "docs/figures", "docs/engine"):
        shutil.copytree(pages.ROOT / place, tmp_path / place, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()


def forget():
    for function in (cache.code, cache.folder, cache.versions):
        function.cache_clear()


def test_what_was_made_is_kept(project):
    made = []
    for _ in range(3):
        assert cache.kept("figures", "bars", "words", make=lambda: made.append(1) or "drawn") == "drawn"
    assert len(made) == 1
    assert cache.kept("figures", "bars", "other words", make=lambda: "drawn anew") == "drawn anew"


@pytest.mark.parametrize(("one", "other"), [(("a", "b"), ("a", "c")), (("a", "b"), ("b", "a")), (("ab",), ("a", "b"))])
def test_every_ingredient_counts(project, one, other):
    assert cache.key("figures", *one) == cache.key("figures", *one) != cache.key("figures", *other)
    assert cache.key("figures", *one) != cache.key("notebooks", *one)


@pytest.mark.parametrize("kind", cache.MADE_BY)
def test_every_file_of_the_code_counts(project, kind):
    keys = {cache.key(kind, "words")}
    files = [path for place in cache.MADE_BY[kind] for path in cache.python(place)]
    assert files
    for path in files:
        path.write_text(path.read_text("utf-8") + "# changed\n", "utf-8")
        forget()
        keys.add(cache.key(kind, "words"))
    (project / cache.MADE_BY[kind][0]).parent.joinpath("unrelated.py").write_text("", "utf-8")
    assert len(keys) == len(files) + 1


@pytest.mark.parametrize("package", cache.PACKAGES)
def test_every_version_counts(project, monkeypatch, package):
    before, known = cache.key("figures", "words"), cache.version
    monkeypatch.setattr(cache, "version", lambda name: "0" if name == package else known(name))
    forget()
    assert cache.key("figures", "words") != before


def test_a_figure_draws_with_nothing_else(project):
    """What MADE_BY does not name, the makers do not import."""
    for path in cache.python("docs/figures"):
        found = re.findall(r"^(?:import|from) (\w+)", path.read_text("utf-8"), re.M)
        ours = {"attn", "figures", "torch", "matplotlib", "yaml"}
        assert set(found) <= ours | sys.stdlib_module_names, f"{path.name} imports what the cache does not know of"


def test_where_nothing_can_be_written_a_folder_of_this_process_serves(project):
    (project / ".cache").write_text("not a folder", "utf-8")
    assert cache.kept("figures", "words", make=lambda: "drawn") == "drawn"
    assert cache.folder("figures").is_dir()


def test_changed_code_is_read_again(project):
    cache.refresh()
    before = cache.code("attn")
    (project / "attn" / "more.py").write_text("x = 1\n", "utf-8")
    assert cache.code("attn") == before, "within one build nothing is hashed twice"
    cache.refresh()
    assert cache.code("attn") != before
