"""Break the package, one change at a time, and count what no test would notice.

    python tests/break_attn.py                        every change to attn, by the tests of attn and its docstrings
    python tests/break_attn.py functional masks       some files, by a part of their name
    python tests/break_attn.py --sample 50 --seed 3   some changes
    python tests/break_attn.py --by docs              by the pages instead: a diagnosis, not a target

A change is a literal, an operator, a negated condition or a call left out. Each is made in a copy of attn, in a process
of its own that has torch already and stops at the first test that fails. First the copy runs unchanged, and must pass.
Exits with 1 if less than 95 % are noticed. Needs fork, so Linux or macOS; an hour or so for everything.
"""

import argparse
import ast
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))

import hypothesis  # noqa: F401  imported once, before the forks
import pytest
import torch
from changes import typed

ROOT = Path(__file__).parents[1]
OURS = {"attn", "engine", "figures", "pages", "changes", "conftest", "reference"}  # imported anew, after the change
SECONDS = 200  # of computing, for one changed package
TARGET = 95
TESTS = sorted(map(str, (ROOT / "tests").glob("test_attn_*.py")))


@dataclass(frozen=True)
class Change:
    file: str
    line: int
    was: str
    becomes: str
    text: str  # of the whole file, changed

    def __str__(self):
        return f"attn/{self.file}:{self.line}: {self.was} → {self.becomes}"


def changes(file: str, text: str):
    lines = text.split("\n")
    for row, column, old, new, _ in typed(lines, prompted=False):
        line = lines[row]
        yield replaced(file, lines, row, line[:column] + new + line[column + len(old) :])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.If | ast.IfExp) and node.test.lineno == node.test.end_lineno:
            row, line, test = node.test.lineno - 1, lines[node.test.lineno - 1], node.test
            start, end = bytewise(line, test.col_offset), bytewise(line, test.end_col_offset)
            yield replaced(file, lines, row, f"{line[:start]}not ({line[start:end]}){line[end:]}")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            yield replaced(file, lines, node.lineno - 1, line[: len(line) - len(line.lstrip())] + "pass")


def bytewise(line, offset):
    return len(line.encode()[:offset].decode())


def replaced(file, lines, row, line):
    text = "\n".join([*lines[:row], line, *lines[row + 1 :]])
    return Change(file, row + 1, lines[row].strip(), line.strip(), text)


def noticed(change: Change | None, tests) -> bool:
    """Whether the tests fail with this change; runs in a process of its own."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "attn", Path(folder, "attn"), ignore=shutil.ignore_patterns("__pycache__"))
        if change:
            Path(folder, "attn", change.file).write_text(change.text, "utf-8")
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            del sys.modules[name]
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)
        try:
            return pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *tests]) != 0
        except BaseException:
            return True
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def stop(*_):
    raise TimeoutError


def verdict(task):
    return noticed(*task)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="parts of names, such as functional or labs/")
    parser.add_argument("--sample", type=int, help="so many changes, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--by", choices=["tests", "docs"], default="tests")
    options = parser.parse_args()
    os.chdir(ROOT)
    torch.set_num_threads(1)
    tests = TESTS if options.by == "tests" else [str(ROOT / "docs")]
    files = sorted(path.relative_to(ROOT / "attn").as_posix() for path in (ROOT / "attn").rglob("*.py"))
    files = [file for file in files if not options.files or any(part in file for part in options.files)]
    todo = [change for file in files for change in changes(file, (ROOT / "attn" / file).read_text("utf-8"))]
    if options.sample and options.sample < len(todo):
        todo = random.Random(options.seed).sample(todo, options.sample)
    started = time.monotonic()
    with multiprocessing.get_context("fork").Pool(options.workers, maxtasksperchild=1) as pool:
        if pool.apply(noticed, (None, tests)):
            print("The tests fail without any change: mend them first.")
            return 2
        results = []
        for change, dead in zip(todo, pool.imap(verdict, [(change, tests) for change in todo], 1), strict=True):
            results.append(dead)
            if not dead:
                print(f"not noticed: {change}", flush=True)
    share = 100 * sum(results) / max(1, len(results))
    seconds = time.monotonic() - started
    print(f"{sum(results)} of {len(results)} changes to {len(files)} files noticed, {share:.1f} %, in {seconds:.0f} s.")
    return int(share < TARGET)


if __name__ == "__main__":
    sys.exit(main())
