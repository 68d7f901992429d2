"""What a terminal shows and a pipe does not: colours, local times, and tables that fit."""

from __future__ import annotations

import click
import pytest

from gnomon.entry.app.doctor_machine import CheckRow
from gnomon.entry.cli.doctor import _draw as _draw_checks
from gnomon.entry.cli.output import format_cell
from gnomon.entry.cli.terminal.live_view import cut
from gnomon.entry.cli.terminal.local_times import format_span
from gnomon.entry.cli.terminal.record_table import draw_records
from gnomon.entry.cli.terminal.screen import Screen
from gnomon.entry.cli.terminal.state_styles import STYLES, choose_summary, draw_legend
from gnomon.model.states import DagRunState, TaskInstanceState

pytestmark = pytest.mark.pure

ROW = {
    "dag_id": "warehouse",
    "run_id": "scheduled__2026-03-01T06:00:00+00:00",
    "run_type": "scheduled",
    "state": "failed",
    "run_after": "2026-03-01T06:00:00.000000+00:00",
    "start_date": "2026-03-01T06:00:01.500000+00:00",
    "end_date": None,
    "reason": "task load failed: KeyError: rows; not run because of it: report and some more of them",
}


def _draw(width: int, *, has_colour: bool = False) -> str:
    screen = Screen(is_terminal=True, width=width, has_colour=has_colour, utc=True)
    return draw_records([ROW], list(ROW), screen, lambda _column, value: format_cell(value))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200, 300])
def test_no_line_is_wider_than_the_terminal_and_no_id_is_lost(width: int) -> None:
    drawn = _draw(width)
    if width >= 60:
        assert max(map(len, drawn.splitlines())) <= width
    assert "warehouse" in drawn and "failed" in drawn
    assert "scheduled__" in drawn


def test_a_wide_terminal_shows_all_columns_and_a_narrow_one_names_those_it_leaves_out() -> None:
    assert "not shown" not in _draw(300)
    assert _draw(90).splitlines()[-1] == "not shown in 90 columns: start_date; -o json has all fields"


def test_a_very_narrow_terminal_gets_a_block_of_lines_a_record() -> None:
    heads = [line.split()[0] for line in _draw(40).splitlines() if not line.startswith(" ")]
    assert heads == [name for name in ROW if name != "end_date"]


def test_colours_change_nothing_but_colours() -> None:
    assert click.unstyle(_draw(120, has_colour=True)) == _draw(120)
    assert "\x1b[31m" in _draw(120, has_colour=True)


def test_every_state_has_a_style_a_sign_and_a_letter_of_its_own() -> None:
    names = {state.value for state in (*TaskInstanceState, *DagRunState)} | {"no status"}
    assert STYLES.keys() == names
    assert (
        len({style.sign for style in STYLES.values()})
        == len({style.letter for style in STYLES.values()})
        == len(STYLES)
    )


def test_the_summary_of_a_mapped_task_is_what_needs_attention() -> None:
    assert choose_summary(["success", "failed", "running"]) == "failed"
    assert choose_summary(["success", "running", None]) == "running"
    assert choose_summary(["success", None]) is None
    assert choose_summary([]) is None


def test_a_legend_names_the_states_that_occur() -> None:
    assert draw_legend(Screen(is_terminal=False), ["success", None]) == [". no status   s success"]


def test_a_line_is_cut_by_its_visible_width() -> None:
    assert cut("\x1b[31mabcdef\x1b[0m", 4) == "\x1b[31mabc…\x1b[0m"
    assert cut("\x1b[31mabcd\x1b[0m", 4) == "\x1b[31mabcd\x1b[0m"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.9, "59s"), (60, "1m"), (200, "3m 20s"), (7500, "2h 5m"), (273600, "3d 4h"), (-5, "0s")],
)
def test_a_span_has_two_units(seconds: float, text: str) -> None:
    assert format_span(int(seconds * 1_000_000)) == text


def test_sentences_are_wrapped_between_words_on_a_terminal_and_never_in_a_pipe() -> None:
    text = "run scheduled__2026-03-01T06:00:00+00:00 waits for a slot of pool default_pool\nsecond line"
    assert Screen(is_terminal=True, width=39).wrap(text, "  ").splitlines() == [
        "run",
        "  scheduled__2026-03-01T06:00:00+00:00",
        "  waits for a slot of pool default_pool",
        "second line",
    ]
    assert Screen(is_terminal=False).wrap(text, "  ") == text


def test_the_doctor_wraps_what_was_found_below_its_column() -> None:
    rows = [
        CheckRow("disk", "warn", "a sentence that is longer than the terminal has columns", "free some space"),
        CheckRow("a long check", "ok", "short"),
    ]
    assert list(_draw_checks(rows, Screen(is_terminal=True, width=52))) == [
        "warn  disk          a sentence that is longer than",
        "                    the terminal has columns",
        "                    -> free some space",
        "ok    a long check  short",
    ]
    assert (
        next(_draw_checks(rows, Screen(is_terminal=False)))
        == "warn  disk          a sentence that is longer than the terminal has columns"
    )
