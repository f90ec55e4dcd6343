"""Ship the licence of the theme with the site, as it asks; references.md names all that the site contains."""

from importlib.metadata import distribution

from mkdocs.structure.files import File

NAME = "assets/licences/mkdocs-material.txt"


def on_files(files, config):
    theme = distribution("mkdocs-material")
    text = next(path for path in theme.files if path.name == "LICENSE").read_text(encoding="utf-8")
    files.append(File.generated(config, NAME, content=text))
