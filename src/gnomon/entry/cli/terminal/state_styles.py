"""The colour and the sign of each state of a run or a task instance. The colours can be read on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.entry.cli.terminal.screen import Screen

NO_STATUS = "no status"
"""The name of the state of a task instance without a state."""


class StateStyle(NamedTuple):
    """How a state is shown."""

    style: str
    """Attributes and colour, as `Screen.paint` takes them."""
    sign: str
    """One character, in colour on a screen with Unicode."""
    letter: str
    """One ASCII character, where there are no colours or no Unicode."""


STYLES = {
    "failed": StateStyle("bold red", "✗", "F"),
    "upstream_failed": StateStyle("red", "▲", "U"),
    "up_for_retry": StateStyle("yellow", "↻", "R"),
    "running": StateStyle("bold cyan", "▶", "r"),
    "restarting": StateStyle("cyan", "↺", "t"),
    "awaiting_input": StateStyle("bold yellow", "?", "?"),
    "up_for_reschedule": StateStyle("cyan", "◷", "h"),
    "deferred": StateStyle("magenta", "◆", "d"),
    "queued": StateStyle("blue", "◌", "q"),
    "scheduled": StateStyle("blue", "○", "o"),
    NO_STATUS: StateStyle("bright_black", "·", "."),
    "success": StateStyle("green", "■", "s"),
    "skipped": StateStyle("bright_black", "»", "-"),
    "removed": StateStyle("bright_black", "␡", "x"),
}
"""By name of the state; first the states that a summary of several task instances shows before the others."""
_UNKNOWN = StateStyle("", "#", "#")


def find_style(state: str | None) -> StateStyle:
    """The style of a state; None is the state of a task instance without one."""
    return STYLES.get(NO_STATUS if state is None else state, _UNKNOWN)


def paint_state(screen: Screen, state: str) -> str:
    """The name of the state in its colour."""
    return screen.paint(state, find_style(state).style)


def draw_state(screen: Screen, state: str | None) -> str:
    """One character for the state: its sign in its colour, or its letter."""
    shown = find_style(state)
    return screen.paint(shown.sign, shown.style) if screen.has_colour and screen.has_unicode else shown.letter


def draw_legend(screen: Screen, states: Iterable[str | None]) -> list[str]:
    """The meaning of the characters of `draw_state` for these states, in lines that fit the screen."""
    names = {NO_STATUS if state is None else state for state in states}
    lines: list[str] = []
    length = 0
    for name in (name for name in STYLES if name in names):
        if not lines or length + len(name) + 5 > screen.width:
            lines.append("")
            length = 0
        gap = "   " if length else ""
        lines[-1] += f"{gap}{draw_state(screen, name)} {name}"
        length += len(gap) + 2 + len(name)
    return lines


def choose_summary(states: Iterable[str | None]) -> str | None:
    """The state that stands for several task instances: the one that comes first in STYLES; None for no status."""
    ranks = {name: rank for rank, name in enumerate(STYLES)}
    first_state = min(
        (NO_STATUS if state is None else state for state in states),
        key=lambda name: ranks.get(name, -1),
        default=NO_STATUS,
    )
    return None if first_state == NO_STATUS else first_state
