"""Every complaint of the list has a test that is named after it, and a row in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SURFACE = (ROOT / "docs/contributing/airflow-surface.md").read_text().partition("## I. Fifteen complaints")[2]
PAGE = (ROOT / "docs/contributing/complaints.md").read_text()
NAMED = {
    number
    for file in Path(__file__).parent.glob("test_complaints_*.py")
    for number in re.findall(r"^def test_(\d{4,5})_", file.read_text(), re.MULTILINE)
}
"""The numbers of the issues that tests are named after."""


def test_each_of_the_fifteen_has_a_test_named_after_it_and_a_row() -> None:
    items = dict(re.findall(r"^(\d+)\. \*\*(.*)$", SURFACE, re.MULTILINE))
    assert sorted(map(int, items)) == list(range(1, 16))
    rows = dict(re.findall(r"^\| (\d+) \| (.*)$", PAGE, re.MULTILINE))
    assert rows.keys() == items.keys()
    for item, text in items.items():
        shown = set(re.findall(r"#(\d{4,5})", rows[item]))
        assert shown and shown <= NAMED & set(re.findall(r"#(\d{4,5})", text)), f"complaint {item}"


def test_each_test_is_in_the_table() -> None:
    assert set(re.findall(r"#(\d{4,5})", PAGE)) == NAMED
