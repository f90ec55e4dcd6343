"""Ship the licence of the theme with the site, as it asks; references.md names all that the site contains."""

from functools import cache
from importlib.metadata import distribution

from mkdocs.structure.files import File

NAME = "assets/licences/mkdocs-material.txt"


def on_files(files, config):
    files.append(File.generated(config, NAME, content=licence("mkdocs-material")))


@cache
def licence(package):
    return next(path for path in distribution(package).files if path.name == "LICENSE").read_text(encoding="utf-8")
