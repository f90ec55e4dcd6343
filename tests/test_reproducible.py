"""The same sources make the same site: in another folder, on another day, in another locale, to the byte."""

import os
import shutil
import subprocess
import sys

import pages

ANOTHER_DAY = "import time; now = time.time; time.time = lambda: now() + 40 * 86400"
BUILD = "import sys; sys.argv[0] = 'mkdocs'; from mkdocs.__main__ import cli; cli()"
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8", "PYTHONHASHSEED": "7"}
SOURCES = ["attn", "docs", "mkdocs.yml", "pyproject.toml", "README.md", "LICENSE"]


def test_two_builds_are_the_same_bytes(site, server, tmp_path):
    project, other = tmp_path / "another folder", tmp_path / "site"
    for name in SOURCES:
        source, target = pages.ROOT / name, project / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for kept in ("katex", "notebooks"):  # fetched, and executed, once; what cells print is compared with the page
        shutil.copytree(pages.ROOT / ".cache" / kept, project / ".cache" / kept)
    done = subprocess.run(
        [sys.executable, "-c", f"{ANOTHER_DAY}; {BUILD}", "build", "--strict", "--site-dir", str(other)],
        cwd=project,
        env=os.environ | {"SITE_URL": server, "PYTHONPATH": str(project), "PYTHONUTF8": "1"} | ELSEWHERE,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-3000:]
    here, there = listing(site), listing(other)
    assert here.keys() == there.keys()
    differ = sorted(path for path in here if here[path] != there[path])
    assert not differ, f"{len(differ)} files differ between two builds: {', '.join(differ[:10])}"


def listing(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
