"""`gnomon top`: what runs, what waits and for what, and what is late, drawn again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import click

from gnomon.changes.operations.work_operations import WorkTable, read_work
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_cell, format_sentence, output_option, print_document
from gnomon.entry.cli.past_times import SecondsType
from gnomon.entry.cli.terminal.live_view import cut, watch
from gnomon.entry.cli.terminal.local_times import format_moment, format_span
from gnomon.entry.cli.terminal.screen import Screen, read_screen
from gnomon.entry.cli.terminal.state_styles import paint_state
from gnomon.model.instants import Instant, to_instant
from gnomon.model.sentences import Command, say

_REST = 20
"""Reasons are read again after this multiple of the time that reading them took."""


class WorkReader:
    """Reads the work for one view. The reasons of what waits are read less often when reading them takes long."""

    def __init__(self, deployment: DeploymentAccess) -> None:
        self._deployment = deployment
        self._reasons: dict[tuple[str, str], list[str]] = {}
        self._explain_at = 0.0

    def read(self) -> WorkTable:
        """The work now; reasons may be those of an earlier read."""
        begun = self._deployment.clock.monotonic()
        explains = begun >= self._explain_at
        work = self._deployment.perform(read_work, explains)
        if explains:
            self._explain_at = begun + _REST * (self._deployment.clock.monotonic() - begun)
            self._reasons = {(row.dag_id, row.run_id): row.reasons for row in work.waiting}
        else:
            for row in work.waiting:
                row.reasons.extend(self._reasons.get((row.dag_id, row.run_id), ()))
        return work


@click.command()
@click.option("--once", is_flag=True, help="Print one picture and end: for pipes.")
@click.option(
    "--interval", "interval_s", type=SecondsType(), default=2.0, help="Time between two pictures; default: 2s."
)
@output_option
@pass_deployment
def top(deployment: DeploymentAccess, once: bool, interval_s: float, output: str) -> None:
    """Show what runs, what waits and for what, and what is late, until q or Ctrl-C is pressed.

    Late is a run that was due more than 10 seconds ago and does not exist, and a run that takes longer than 95 of 100 of the last
    successful runs of its DAG. -o json and -o yaml print one document.
    """
    reader = WorkReader(deployment)
    if output != "table":
        print_document(asdict(reader.read()), output)
    elif once:
        click.echo("\n".join(draw_work(reader.read(), read_screen())))
    else:
        watch(
            lambda screen: draw_work(reader.read(), screen, screen.height),
            deployment.clock,
            interval_s,
            once=say("command_prints_picture", command=Command("top", (), ("--once",))),
        )


def draw_work(work: WorkTable, screen: Screen, most_lines: int | None = None) -> list[str]:
    """The work in lines as wide as the screen; with `most_lines` each part shows as many rows as there is room for."""
    now = _read_instant(work.at)
    head = _draw_head(work, screen, now)
    parts = [
        (
            "late",
            "bold red",
            [
                f"{format_cell(row.dag_id)}  {row.run_id or ''}".rstrip() + f": {format_sentence(row.why)}"
                for row in work.late
            ],
        ),
        ("with a worker", "bold cyan", _draw_running(work, screen, now)),
        ("waiting", "bold yellow", _draw_waiting(work, now)),
    ]
    shown = [(title, style, lines) for title, style, lines in parts if lines]
    counts = {"late": len(work.late), "with a worker": len(work.running), "waiting": len(work.waiting)}
    room = _share_room(
        [len(lines) for _, _, lines in shown], None if most_lines is None else most_lines - len(head) - 2 * len(shown)
    )
    for (title, style, lines), most in zip(shown, room, strict=True):
        cut_off = f", {len(lines) - most} more lines" if len(lines) > most else ""
        head += ["", f"{screen.paint(title, style)} ({counts[title]}{cut_off})", *lines[:most]]
    if not shown:
        head += ["", "nothing runs, waits or is late"]
    return [cut(line, screen.width) for line in head]


def _draw_head(work: WorkTable, screen: Screen, now: Instant) -> list[str]:
    alive = [row for row in work.processes if row.alive]
    services = [
        f"{sum(row.kind == kind for row in alive)} {kind}"
        + ("s" if sum(row.kind == kind for row in alive) != 1 else "")
        for kind in ("scheduler", "worker")
    ]
    runs = "  ".join(f"{count} {paint_state(screen, state)}" for state, count in work.runs.items())
    lines = [
        f"{screen.paint('gnomon top', 'bold')}  {format_moment(now, screen)}  alive: {', '.join(services)}",
        f"runs: {runs}",
    ]
    if not any(row.kind == "scheduler" for row in alive):
        lines.append(
            screen.paint("no scheduler is alive, so nothing starts; start one with: gnomon standalone", "bold red")
        )
    if work.import_errors:
        lines.append(
            screen.paint(
                f"{work.import_errors} import error{'s' if work.import_errors != 1 else ''}; `gnomon dags errors` lists them",
                "red",
            )
        )
    return lines


def _draw_running(work: WorkTable, screen: Screen, now: Instant) -> list[str]:
    rows = []
    for row in work.running:
        age = "" if row.since is None or row.state == "queued" else format_span(now - _read_instant(row.since))
        tries = f"try {row.try_number}" if row.try_number > 1 else ""
        rows.append((row.state, (age, format_cell(row.dag_id), format_cell(row.task), tries, format_cell(row.run_id))))
    widths = [max((len(cells[i]) for _, cells in rows), default=0) for i in range(5)]
    return [
        f"{paint_state(screen, state)}{'':<{10 - len(state)}}{cells[0]:>{widths[0]}}  "
        + "  ".join(f"{cell:<{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True) if width).rstrip()
        for state, cells in rows
    ]


def _draw_waiting(work: WorkTable, now: Instant) -> list[str]:
    lines = []
    for row in work.waiting:
        age = "" if row.since is None else format_span(now - _read_instant(row.since))
        lines.append(f"{format_cell(row.dag_id)}  {format_cell(row.run_id)}  {row.state} for {age}")
        lines += [f"    {format_sentence(format_cell(reason))}" for reason in row.reasons]
    return lines


def _share_room(lengths: Sequence[int], room: int | None) -> list[int]:
    """How many lines each part gets, when all of them have `room` lines: short parts whole, the others equal shares of the rest."""
    shares = list(lengths)
    if room is None or sum(lengths) <= room:
        return shares
    room_left, parts = max(room, len(shares)), len(shares)
    for index in sorted(range(len(shares)), key=lambda index: lengths[index]):
        shares[index] = min(lengths[index], max(1, room_left // parts))
        room_left, parts = room_left - shares[index], parts - 1
    return shares


def _read_instant(text: str | None) -> Instant:
    assert text is not None
    return to_instant(datetime.fromisoformat(text))
