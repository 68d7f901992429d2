"""The names that users may import: the record of them, the generated page, and the examples of the documentation."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.test_docs import DOCS, _script

RECORD = Path(__file__).parent / "public_names.txt"
"""One name in each line, sorted. A removed name breaks users' files: change this record on purpose, and CHANGELOG.md with it."""
ROOT = DOCS.parent


def test_the_public_names_are_those_of_the_record() -> None:
    recorded = RECORD.read_text().splitlines()
    assert recorded == sorted(set(recorded))
    public = set(_public_names())
    assert sorted(public - set(recorded)) == [], f"these names are public and not in {RECORD.name}"
    assert sorted(set(recorded) - public) == [], f"these names are in {RECORD.name} and not public any more"


def test_the_page_lists_each_name_with_a_sentence() -> None:
    page = (DOCS / "reference" / "python-api.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(name.rpartition(".")[2] for name in _public_names())
    assert [name for name, sentence in rows if not sentence.rstrip().endswith((".", "!", "?", ":"))] == []


def test_the_first_sentence_ends_at_a_full_stop_before_a_capital_letter() -> None:
    def documented() -> None:
        """Reads `a | b` of gnomon.toml.
        Then more follows.

        And more.
        """

    assert _script("generate").first_sentence(documented) == "Reads `a \\| b` of gnomon.toml."


def test_examples_of_the_documentation_import_public_names_only() -> None:
    public = set(_public_names())
    private = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]
        for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        for name in _imported_names(code)
        if name not in public
    ]
    assert private == []


def _public_names() -> Iterator[str]:
    for package in _script("generate").PUBLIC_PACKAGES:
        yield from (f"{package}.{name}" for name in importlib.import_module(package).__all__)


def _imported_names(code: str) -> Iterator[str]:
    """The names of `gnomon` that a block of code imports."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gnomon":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("gnomon"))
