"""Listings: tables for the eye, documents for machines."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click
import pytest
import yaml
from click.testing import CliRunner

from gnomon.entry.cli.commands import root as gnomon
from gnomon.entry.cli.output import format_cell, format_fields, format_table, output_option, print_records

pytestmark = pytest.mark.pure


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
    [
        (None, "-"),
        (False, "no"),
        (["a", "b"], "a, b"),
        ([], "-"),
        ({"k": 1}, '{"k": 1}'),
        ("two\nlines", "two lines"),
        ("\x1b[31mred\a", r"\x1b[31mred\x07"),
        (["\x1b"], r"\x1b"),
        ("\u202eright", r"\u202eright"),
    ],
)
def test_a_cell_is_one_line(value: object, shown: str) -> None:
    assert format_cell(value) == shown


@dataclass(frozen=True)
class Instance:
    task_id: str
    map_index: int
    state: str | None


def _list(records: list[Instance], *arguments: str) -> str:
    @click.command()
    @output_option
    def listing(output: str) -> None:
        print_records(records, output, ("task_id", "map_index", "state"), empty="nothing")

    result = CliRunner().invoke(listing, arguments)
    assert result.exit_code == 0, result.output
    return result.output


MIXED = [Instance("make", -1, "success"), Instance("load", 0, None)]


def test_a_table_with_mapped_and_unmapped_tasks_shows_an_index_only_where_there_is_one() -> None:
    assert _list(MIXED).splitlines() == [
        "task_id  map_index  state",
        "-------  ---------  -------",
        "make                success",
        "load     0          -",
    ]
    assert _list(MIXED[:1]).splitlines()[0] == "task_id  state"


def test_a_plain_table_has_a_text_in_each_column_and_no_line_below_the_names() -> None:
    assert [line.split() for line in _list(MIXED, "-o", "plain").splitlines()] == [
        ["task_id", "map_index", "state"],
        ["make", "-", "success"],
        ["load", "0", "-"],
    ]
    assert _list([], "-o", "plain") == "task_id  map_index  state\n"
    assert _list([]) == "nothing\n"


def _commands(command: click.Command, path: str = "") -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(path, command)]
    context = click.Context(command)
    return [
        found
        for name in command.list_commands(context)
        for found in _commands(command.get_command(context, name) or command, f"{path} {name}")
    ]


def test_every_command_that_prints_tables_prints_them_plainly_too() -> None:
    choices = {
        path: parameter.type.choices
        for path, command in _commands(gnomon)
        for parameter in command.params
        if parameter.name == "output" and isinstance(parameter.type, click.Choice) and "table" in parameter.type.choices
    }
    assert len(choices) > 50
    assert [path for path, names in choices.items() if "plain" not in names] == []
