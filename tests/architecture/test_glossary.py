"""The glossary: sorted, each term once, each file there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "contributing" / "glossary.md"


def test_the_terms_are_sorted_and_each_is_there_once() -> None:
    terms = [term.lower() for term, *_ in _rows(PAGE.read_text())]
    assert len(terms) > 60
    assert terms == sorted(set(terms))


def test_the_file_of_each_term_exists() -> None:
    assert [file for *_, file in _rows(PAGE.read_text()) if not (ROOT / file).is_file()] == []


def test_each_term_has_an_origin_and_a_sentence() -> None:
    for term, origin, meaning, _ in _rows(PAGE.read_text()):
        assert origin in {"A", "F", "G"}, term
        assert meaning.endswith((".", ".)")), term


@pytest.mark.parametrize("row", ["| slot | G | A time. |", "| slot | G | A time. | src/gnomon/model/slots.py |"])
def test_a_row_without_a_file_is_an_error(row: str) -> None:
    with pytest.raises(ValueError, match="not a row of the glossary"):
        _rows(f"|---|---|---|---|\n{row}\n")


def _rows(page: str) -> list[tuple[str, str, str, str]]:
    """Term, origin, meaning and file of each row of the table."""
    rows = []
    for line in re.findall(r"^\|.*\|$", page.partition("|---|\n")[2], re.MULTILINE):
        cells = re.fullmatch(r"\| (.+?) \| (.+?) \| (.+) \| `(src/[\w./]+)` \|", line)
        if cells is None:
            raise ValueError(f"not a row of the glossary: {line}")
        rows.append((cells[1], cells[2], cells[3], cells[4]))
    return rows
