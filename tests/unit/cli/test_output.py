"""Listings: tables for the eye, documents for machines."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
import yaml

from gnomon.cli.output import format_cell, format_fields, format_table, print_records


@dataclass(frozen=True)
class Row:
    name: str
    at: str | None
    conf: dict[str, object]


ROWS = [Row("première", "2026-01-01T00:00:00.000000+00:00", {"a": [1]}), Row("b", None, {})]


@pytest.mark.parametrize(("output", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_a_document_holds_every_field_as_it_is(output: str, read: object, capsys: pytest.CaptureFixture[str]) -> None:
    print_records(ROWS, output, ("name",))
    out, err = capsys.readouterr()
    assert callable(read) and err == ""
    assert read(out) == [
        {"name": "première", "at": "2026-01-01T00:00:00.000000+00:00", "conf": {"a": [1]}},
        {"name": "b", "at": None, "conf": {}},
    ]


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_no_records_are_an_empty_list(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_records([], output, ("name",))
    assert capsys.readouterr().out.strip() == "[]"


def test_a_table_without_rows_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_records([], "table", ("name",), empty="no DAGs")
    assert capsys.readouterr().out == "no DAGs\n"


def test_a_table_aligns_its_columns_and_cuts_nothing() -> None:
    long = "x" * 300
    lines = format_table([{"a": "1", "b": long}, {"a": "22", "b": None}], ("a", "b")).splitlines()
    assert lines == ["a   b", f"--  {'-' * 300}", f"1   {long}", "22  -"]


def test_fields_leave_out_what_is_not_known() -> None:
    assert format_fields([("one", 1), ("none", None), ("three", True)]) == "one    1\nthree  yes"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (False, "no"), (["a", "b"], "a, b"), ([], "-"), ({"k": 1}, '{"k": 1}'), ("two\nlines", "two lines"), ("\x1b[31mred\a", r"\x1b[31mred\x07"), (["\x1b"], r"\x1b"), ("\u202eright", r"\u202eright")],
)
def test_a_cell_is_one_line(value: object, shown: str) -> None:
    assert format_cell(value) == shown
