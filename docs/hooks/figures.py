"""A fence ```figure module="weights"``` holds words; docs/figures/weights.py draws them, with attn, while building."""

import importlib
import sys
from pathlib import Path

from mkdocs.structure.files import File
from pymdownx.superfences import SuperFencesException

DRAWN = "assets/drawn"  # what the theme needs as a file of its own


def on_config(config):
    docs = str(Path(__file__).parents[1])
    if docs not in sys.path:
        sys.path.append(docs)
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "figure", "class": "figure", "format": fence, "validator": accept})


def on_files(files, config):
    files.append(File.generated(config, f"{DRAWN}/logo.svg", content=importlib.import_module("figures.logo").draw()))


def accept(language, inputs, options, attrs, md):
    """Only `module`, and an id, may stand behind the language; anything else leaves the fence as it is, which fails."""
    options.update(inputs)
    return set(inputs) == {"module"}


def fence(source, language, css_class, options, md, **kwargs):
    try:
        return importlib.import_module("figures").figure(options["module"], source)
    except Exception as error:
        raise SuperFencesException(f"figure {options['module']}: {type(error).__name__}: {error}") from error
