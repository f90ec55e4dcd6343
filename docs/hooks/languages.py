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
shelf = None  # under `mkdocs serve`, a folder that keeps each language as it was built last
built = {}  # for each language, the state of the sources it was built from


def on_startup(command, dirty):
    """Write no __pycache__ into the folders that `mkdocs serve` watches: each would start a second build."""
    global shelf
    if command == "serve":
        shelf = tempfile.TemporaryDirectory()
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # for the notebooks' kernels


def on_page_context(context, page, config, nav):
    share_choices(context, config)


def on_template_context(context, template_name, config):
    share_choices(context, config)


def share_choices(context, config):
    """Material keeps a reader's choices (light, dark) for the folder `scope`: the whole site, not one language."""
    config.extra["scope"] = context["base_url"] if is_home(config) else f"{context['base_url'].rstrip('/')}/.."


def on_post_build(config):
    if not is_home(config):
        return
    for settings in sorted(Path(config.config_file_path).parent.glob("docs/*.yml")):
        site = Path(config.site_dir, settings.stem)
        if shelf is None:
            build_language(settings, config, site)
            continue
        kept, state = Path(shelf.name, settings.stem), sources(settings)
        if built.get(settings.stem) == state:
            shutil.copytree(kept, site)
        else:
            build_language(settings, config, site)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(site, kept)
            built[settings.stem] = state


def build_language(settings, config, site):
    with naming(settings.stem):
        build(
            load_config(
                str(settings),
                config_file_path=config.config_file_path,  # its paths count from the root, as in mkdocs.yml
                site_dir=str(site),
                site_url=f"{config.site_url}{settings.stem}/",
                strict=False,  # its warnings count in the build around it
            )
        )


def sources(settings):
    """What a language is built from, in its state of now: all but the pages of the other languages."""
    root = settings.parents[1]
    others = {other.stem for other in settings.parent.glob("*.yml")} - {settings.stem}
    files = [root / "mkdocs.yml", *(root / "attn").rglob("*"), *settings.parent.rglob("*")]
    return {
        (path, path.stat().st_mtime_ns)
        for path in files
        if path.is_file() and path.relative_to(root).parts[1:2] not in {(other,) for other in others}
    }


def is_home(config):
    return Path(config.docs_dir).name == "home"


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
