"""The order of the pages: docs/index.md names each page once, in sections; the navigation of the site is made of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
ROOT_PAGES = {"../CHANGELOG.md": "changes.md", "../CONTRIBUTING.md": "contributing.md"}
"""The pages of the site that are not below `docs`, and their names there."""
_LINE = re.compile(r"^## (?P<title>.+)$|^(?:-|\d+\.) \[(?P<label>[^\]]+)\]\((?P<page>[^)\s]+)\)", re.MULTILINE)


class Section(NamedTuple):
    """A heading of index.md, and the label and the path of each page below it."""

    title: str
    pages: list[tuple[str, str]]


def sections(index: str) -> list[Section]:
    """The sections of the text of index.md, in its order. Only the link at the beginning of an item of a list counts."""
    found: list[Section] = []
    for match in _LINE.finditer(index):
        if match["title"]:
            found.append(Section(match["title"], []))
        elif found:
            found[-1].pages.append((match["label"], match["page"]))
    return found


def mistakes(index: str, pages: set[str]) -> list[str]:
    """What is wrong with the order of the pages: a page that is missing, or is there more than once.

    `pages` are the paths of all pages below `docs`, without index.md.
    """
    named = [page for section in sections(index) for _, page in section.pages]
    missing = [f"the page {page} is in no list of this page" for page in sorted({*pages, *ROOT_PAGES} - set(named))]
    return missing + [
        f"the page {page} is in the lists of this page more than once"
        for page in sorted(set(named))
        if named.count(page) > 1
    ]
