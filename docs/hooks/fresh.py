"""Under `mkdocs serve`, a changed attn or figure shows in the next build."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WATCHED = {"attn": ROOT / "attn", "figures": ROOT / "docs" / "figures"}
seen = None  # when the newest of those files was written


def on_pre_build(config):
    global seen
    newest = max(path.stat().st_mtime_ns for folder in WATCHED.values() for path in folder.rglob("*.py"))
    if seen not in (None, newest):
        for name in [name for name in sys.modules if name.partition(".")[0] in WATCHED]:
            del sys.modules[name]
        sys.modules["promise.source"].shown.cache_clear()
    seen = newest
