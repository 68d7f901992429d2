"""`simulate` of `gnomon.testing.simulation`: what `gnomon simulate` does, called from a test."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import date, datetime, time, timedelta

from gnomon.changes.scenarios.scenario_changes import Change, read_change
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.simulations.prepared_scenario import is_scenario_file, prepare
from gnomon.entry.projection.simulated_schedule import SimulatedSchedule
from gnomon.entry.projection.simulation import simulate as run_scenario
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.sentences import render

Duration = str | float | timedelta | tuple[str | float | timedelta, str | float | timedelta]
"""A span as `gnomon simulate --set` takes it, seconds, a timedelta, or two of these: drawn between them for each try."""


def simulate(
    folder: str | os.PathLike[str],
    *,
    start: datetime | date | str,
    days: float = 1,
    durations: Mapping[str, Duration] | None = None,
    assume: str | float | timedelta | None = None,
    pools: Mapping[str, int] | None = None,
    parallelism: int | None = None,
    lengths: Mapping[str, int] | None = None,
    failing: Iterable[str] = (),
    delays: Mapping[str, str | float | timedelta] | None = None,
    schedules: Mapping[str, str] | None = None,
    frozen: Iterable[str] = (),
    seed: int = 1,
    skip_broken: bool = False,
) -> SimulatedSchedule:
    """The runs of `days` days of 24 hours from `start` on. Nothing is executed, no database is read.

    `folder`: with DAG files, or `REVISION:FOLDER` of a Git repository, or a scenario file (TOML), which may not name the same keys as the
    arguments. A `start` without a zone is one of [core] default_timezone. The other arguments are the options of `gnomon simulate` (`durations`:
    --set, `assume`: --assume, and so on); keys are `dag` or `dag.task`. Raises UserError for what is not there.
    """
    source = os.fspath(folder)
    values: dict[str, object] = {"from": _read_start(start), "for": days * 86_400, "seed": seed}
    values |= {"assume": _build_span(assume), "parallelism": parallelism, "skip_broken": skip_broken or None}
    changes = [_build_change(key, "", value) for key, value in values.items() if value is not None]
    tables: dict[str, Mapping[str, object]] = {
        "set": {name: _build_duration(value) for name, value in (durations or {}).items()},
        "delay": {name: _build_span(value) for name, value in (delays or {}).items()},
        "pool": pools or {},
        "length": lengths or {},
        "schedule": schedules or {},
        "fail": {name: name for name in failing},
        "freeze": {name: name for name in frozen},
    }
    changes += [_build_change(key, name, value) for key, table in tables.items() for name, value in table.items()]
    if not is_scenario_file(source):
        changes.append(_build_change("dags", "", source))
    home = Home()
    prepared = prepare(home, changes, source if is_scenario_file(source) else None, with_tasks=True)
    with closing(start_host(home.cfg)) as host:
        simulated = run_scenario(prepared.scenario, host)
    return SimulatedSchedule(
        simulated.runs,
        prepared.specs,
        prepared.scenario.start,
        prepared.scenario.end,
        [render(sentence) for sentence in (*prepared.assumptions, *simulated.assumptions)],
    )


_ARGUMENTS = {
    "dags": "folder",
    "from": "start",
    "for": "days",
    "set": "durations",
    "delay": "delays",
    "pool": "pools",
    "length": "lengths",
    "schedule": "schedules",
    "fail": "failing",
    "freeze": "frozen",
}
"""What an argument is called whose key has another name."""


def _build_change(key: str, name: str, value: object) -> Change:
    argument = _ARGUMENTS.get(key, key)
    place = (
        f"simulate({argument}={{{name!r}: {value!r}}})" if name and name != value else f"simulate({argument}={value!r})"
    )
    return read_change(key, name, value, place)


def _read_start(start: datetime | date | str) -> object:
    if isinstance(start, date) and not isinstance(start, datetime):
        return datetime.combine(start, time())
    return start


def _build_span(value: str | float | timedelta | None) -> object:
    return value.total_seconds() if isinstance(value, timedelta) else value


def _build_duration(value: Duration) -> object:
    if isinstance(value, tuple):
        return "..".join(str(_build_span(end)) for end in value)
    return _build_span(value)
