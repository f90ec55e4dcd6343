"""The machinery of the site: reads a page once, checks it under pytest, and renders it under MkDocs.

page → source, fences, numbers, equations (with tex), terms     what a page holds, and whether it is true
     → extension (with katex, reference, the figures)           the page as HTML, one Python-Markdown extension
     → shown                                                    what was rendered is what was checked
     → hooks (with languages, notebooks, search, styles, wheel) MkDocs's events, in their order
"""
