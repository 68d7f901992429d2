"""A Sphinx extension: a highlighted page for each file of the project that a page names, and links to them.

On a code host, the reader of `src/gnomon/...` has the file at hand; on the site these pages serve for that.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = Path(__file__).parents[2]
FOLDER = "source"
_PATH = re.compile(r"(?:src|tests|bench|docs)/[\w./-]+\.\w+")
_FORMAT: dict[str, Any] = {"linenos": "inline", "wrapcode": True}
_STYLE = "body { margin: 0 auto; max-width: 75rem; padding: 1rem; } pre { overflow-x: auto; font-size: 0.85rem; line-height: 1.45; }\n"
_DARK = "body { background: #131416; color: #cfd0d0; } a { color: #8ab4f8; }\n"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{path}</title>
<link rel="stylesheet" href="{style}">
</head>
<body style="font-family: system-ui, sans-serif">
<p><a href="{home}">Gnomon</a> · <code>{path}</code></p>
{code}
</body>
</html>
"""
_LEXERS = {".py": "python", ".sql": "sql", ".toml": "toml", ".c": "c"}


class SourceLinks(SphinxPostTransform):
    """Makes each path of a file in code style a link to the page of that file."""

    default_priority = 100
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Replace the literals of the current document, and note the files."""
        builder = self.app.builder
        for literal in list(self.document.findall(nodes.literal)):
            path = literal.astext()
            if isinstance(literal.parent, nodes.reference) or not _PATH.fullmatch(path) or not (ROOT / path).is_file():
                continue
            target = builder.get_relative_uri(self.env.docname, f"{FOLDER}/{path}")
            link = nodes.reference("", "", internal=True, refuri=target)
            literal.replace_self(link)
            link += literal
            _linked.add(path)


_linked: set[str] = set()


def write_source_pages(app: Sphinx, error: Exception | None) -> None:
    """Write the pages, for the event `build-finished`. They are without the navigation, which would take a minute for 200 pages."""
    folder = Path(app.outdir) / FOLDER
    light, dark = (
        HtmlFormatter(style=style, **_FORMAT) for style in (app.config.pygments_style, app.config.pygments_dark_style)
    )
    for path in sorted(_linked if error is None else ()):
        page = folder / f"{path}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(Path(path).parts) - 1)
        code = highlight(
            (ROOT / path).read_text(encoding="utf-8"),
            get_lexer_by_name(_LEXERS.get(page.with_suffix("").suffix, "text")),
            light,
        )
        page.write_text(
            _PAGE.format(path=html.escape(path), style=f"{up}source.css", home=f"{up}../index.html", code=code),
            encoding="utf-8",
        )
    if folder.is_dir():
        dark_rules = dark.get_style_defs(".highlight")
        style = f"{_STYLE}{light.get_style_defs('.highlight')}\n@media (prefers-color-scheme: dark) {{\n{_DARK}{dark_rules}\n}}\n"
        (folder / "source.css").write_text(style, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform and the pages."""
    app.add_post_transform(SourceLinks)
    app.connect("build-finished", write_source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
