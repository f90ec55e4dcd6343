"""Read a py:percent notebook as the Markdown page that it becomes."""


def as_markdown(source: str) -> str:
    """Code cells turn into `python` fences, Markdown cells lose their `# `; every line keeps its number."""
    lines, code = [], False
    for line in source.split("\n"):
        if line.startswith("# %%"):
            if code:
                lines[-1] = "```"  # the blank line that ends a cell
            code = "[markdown]" not in line
            line = "```python" if code else ""
        elif not code:
            line = line.removeprefix("#").removeprefix(" ")
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines)


def read(path) -> str:
    """The Markdown of a page, whether it is written as a page or as a notebook."""
    text = path.read_text("utf-8")
    return as_markdown(text) if path.suffix == ".py" else text
