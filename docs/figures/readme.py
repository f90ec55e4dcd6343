"""The picture of the README: the landing page's figure as a file of its own, with the colours of both schemes.

`cd docs && python -m figures.readme` draws it again.
"""

from pathlib import Path

from figures import landing

PICTURE = Path(__file__).parents[2] / ".github" / "picture.svg"
WORDS = {
    "title": "苹果看向全句 · apple looks at its sentence",
    "description": "四个词：我、喜欢、吃、苹果，从「苹果」到「吃」的线最粗。"
    "Of four words, i like eating apple, the thickest line goes from apple to eating.",
    "sentence": ["我", "喜欢", "吃", "苹果"],
}
STYLE = """<style>
svg { color: #23201d; --attn: #c2410c; --attn-faint: #c9c6c1; font-family: system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { color: #e6e3de; --attn: #fb923c; --attn-faint: #55524e; } }
</style>"""


def draw() -> str:
    head, title, rest = landing.draw(WORDS).partition("<title")
    return f"{head}{STYLE}{title}{rest}\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8", newline="\n")
