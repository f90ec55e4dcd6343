"""Build every language (docs/zh.yml, docs/en.yml) into its own folder of the same site."""

import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

mkdocs = logging.getLogger("mkdocs")


def on_startup(command, dirty):
    """Write no __pycache__ into the folders that `mkdocs serve` watches: each would start a second build."""
    if command == "serve":
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
        language = settings.stem
        with naming(language):
            build(
                load_config(
                    str(settings),
                    config_file_path=config.config_file_path,  # its paths count from the root, as in mkdocs.yml
                    site_dir=str(Path(config.site_dir, language)),
                    site_url=f"{config.site_url}{language}/",
                    strict=False,  # its warnings count in the build around it
                )
            )


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
