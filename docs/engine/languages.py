"""Build every language (docs/zh.yml, docs/en.yml) into its own folder of the same site."""

import logging
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

mkdocs = logging.getLogger("mkdocs")
os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")  # the wheel and the sitemap don't keep the day of the build
builds = None  # under `mkdocs serve`, a folder that keeps each language as it was built last
sources = {}  # for each language, the state of the sources it was built from


def keep_builds():
    """Build again only the languages that have changed, and write no __pycache__ into the folders that are watched."""
    global builds
    builds = tempfile.TemporaryDirectory()
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def name(config) -> str:
    return Path(config.docs_dir).name


def is_home(config) -> bool:
    return name(config) == "home"


def share_choices(context, config):
    """Material keeps a reader's choices (light, dark) for the folder `scope`: the whole site, not one language."""
    config.extra["scope"] = context["base_url"] if is_home(config) else f"{context['base_url'].rstrip('/')}/.."


def build_all(config):
    for settings in sorted(Path(config.config_file_path).parent.glob("docs/*.yml")):
        target = Path(config.site_dir, settings.stem)
        if builds is None:
            build_one(settings, config, target)
            continue
        kept, state = Path(builds.name, settings.stem), state_of(settings)
        if sources.get(settings.stem) == state:
            shutil.copytree(kept, target, copy_function=link)
        else:
            build_one(settings, config, target)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(target, kept, copy_function=link)
            sources[settings.stem] = state


def link(source, target):
    """The same file in both folders, where the system can; a build deletes what it finds before it writes."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def build_one(settings, config, target):
    with naming(settings.stem):
        build(
            load_config(
                str(settings),
                config_file_path=config.config_file_path,  # its paths count from the root, as in mkdocs.yml
                site_dir=str(target),
                site_url=f"{config.site_url}{settings.stem}/",
                strict=False,  # its warnings count in the build around it
            )
        )


def state_of(settings):
    """What a language is built from, in its state of now: all but the pages of the other languages."""
    root = settings.parents[1]
    others = {other.stem for other in settings.parent.glob("*.yml")} - {settings.stem}
    files = [root / "mkdocs.yml", *(root / "attn").rglob("*"), *settings.parent.rglob("*")]
    return {
        (path, path.stat().st_mtime_ns)
        for path in files
        if path.is_file() and path.relative_to(root).parts[1:2] not in {(other,) for other in others}
    }


@contextmanager
def naming(language):
    """Say in every message of a build which language it is about."""

    def name(record):
        if not getattr(record, "language", None):
            record.language, record.msg = language, f"[{language}] {record.msg}"
        return True

    handlers = list(mkdocs.handlers)
    for handler in handlers:
        handler.addFilter(name)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(name)
