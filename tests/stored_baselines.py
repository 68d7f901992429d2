"""Baselines and a forecast, stored as the monitor stores them: for tests of the API and the page, which wait for no monitor."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from gnomon.model.baselines import (
    FRESH_LEAST_S,
    BaselineForecast,
    BaselineLevel,
    BaselineRecord,
    ForecastReport,
    KeyStep,
    PredictedRun,
)
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Command, render, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states

MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def write_baselines(home: Path, **tables: str) -> None:
    """Add tables [baselines.NAME] with these lines to the gnomon.toml of a home."""
    home.mkdir(parents=True, exist_ok=True)
    file = home / "gnomon.toml"
    text = file.read_text() if file.exists() else ""
    file.write_text(text + "".join(f"\n[baselines.{name}]\n{lines}\n" for name, lines in tables.items()))


def put_risk(tx: Transaction, name: str, now: Instant, steps: Iterable[tuple[str, str, str]]) -> Instant:
    """A baseline that is at risk two hours from now, was met yesterday and broken the day before; its key path has these DAGs, runs and tasks. Returns the due time."""
    due_at = now + 2 * HOUR
    path = tuple(
        KeyStep(
            dag_id=dag_id,
            run_id=run_id,
            task=task,
            start=now + number * 30 * MINUTE,
            end=now + number * 30 * MINUTE + 25 * MINUTE,
            waited_s=300.0 if number else 0.0,
            usual_s=600.0,
            latest_start=now + number * 30 * MINUTE - 10 * MINUTE,
            trouble="slow" if number == 0 else "",
        )
        for number, (dag_id, run_id, task) in enumerate(steps)
    )
    forecast = BaselineForecast(
        due_at=due_at,
        at=now - MINUTE,
        samples=50,
        breach=0.34,
        end_p50=due_at - 10 * MINUTE,
        end_p90=due_at + 15 * MINUTE,
        unfinished=2,
        key_path=path,
        costly=0,
        slack_s=-900.0,
        assumptions=(
            render(
                say(
                    "durations_are_assumed",
                    count=1,
                    duration=60.0,
                    command=Command("forecast"),
                    names=f"{path[-1].dag_id}.{path[-1].task}",
                )
            ),
        ),
    )
    for number, (level, breach) in enumerate(
        ((BaselineLevel.SAFE, 0.02), (BaselineLevel.SAFE, 0.1), (BaselineLevel.AT_RISK, 0.34))
    ):
        earlier = msgspec.structs.replace(
            forecast,
            at=now - (2 - number) * HOUR - MINUTE,
            breach=breach,
            end_p50=due_at - (30 - 10 * number) * MINUTE,
            end_p90=due_at + (5 * number - 5) * MINUTE,
        )
        baseline_states.add_prediction(tx, BaselineRecord(name, due_at, level, now, earlier))
    baseline_states.put_state(tx, BaselineRecord(name, due_at, BaselineLevel.AT_RISK, now - HOUR, forecast))
    for days, level, late in ((1, BaselineLevel.MET, -20), (2, BaselineLevel.BROKEN, 40)):
        due = due_at - days * DAY
        ended = BaselineForecast(due_at=due, at=due + HOUR, ended_at=due + late * MINUTE)
        baseline_states.put_state(tx, BaselineRecord(name, due, level, due, ended))
    return due_at


def put_forecast(
    tx: Transaction, now: Instant, runs: Iterable[tuple[str, str, int, int]], faults: tuple[str, ...] = ()
) -> None:
    """The newest forecast: DAG, run, and the minutes from now to its start and to its end in half of the futures."""
    predicted = tuple(
        PredictedRun(
            dag_id=dag_id,
            run_id=run_id,
            run_type="scheduled",
            run_after=now + begin * MINUTE,
            start_p50=now + begin * MINUTE,
            end_p50=now + end * MINUTE,
            end_p90=now + (end + 10) * MINUTE,
        )
        for dag_id, run_id, begin, end in runs
    )
    report = ForecastReport(
        at=now - MINUTE,
        until=now + 3 * HOUR,
        samples=50,
        runs=predicted,
        assumptions=(
            render(
                say(
                    "durations_are_assumed",
                    count=1,
                    duration=60.0,
                    command=Command("forecast"),
                    names=predicted[0].dag_id,
                )
            ),
        ),
        faults=faults,
    )
    baseline_states.put_forecast(tx, report, now + FRESH_LEAST_S * SECOND)
