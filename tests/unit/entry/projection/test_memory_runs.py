"""What a projection keeps of runs does not grow with the days."""

from __future__ import annotations

import msgspec
from tests.simulation.test_forecast import spec_of

from gnomon.entry.projection.memory_runs import KEPT_KEYS, KEPT_SLOTS
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.entry.testing.scripted import Play
from gnomon.model.after import After
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PoolRecord
from gnomon.model.upstream_edges import to_dependency_spec

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
DAY = 86_400 * SECOND


def project(days: int, failing: frozenset[int] = frozenset()) -> Projector:
    """`daily` runs once a day, `often` eight times; `last` waits for a task of one and for both. On failing days `daily` fails."""
    last = spec_of("last", "0 20 * * *", "end", after="daily")
    edges = (
        *last.depends_on,
        to_dependency_spec(After("often", task_id="t")),
        to_dependency_spec(After("daily", previous=30)),
    )
    dags = [
        spec_of("daily", "0 2 * * *", "t"),
        spec_of("often", "0 */3 * * *", "t"),
        msgspec.structs.replace(last, depends_on=edges),
    ]

    def play(attempt: Attempt) -> Play:
        day = (attempt.run.run_after - START) // DAY
        return Play(60.0, outcome="failed" if attempt.run.dag_id == "daily" and day in failing else "success")

    projector = Projector(
        settings=SETTINGS, start=START, script=play, pools=[PoolRecord("default_pool", -1, 0)], worker_slots=100
    )
    projector.add_dags(build_records([(spec, "f.py") for spec in dags], START))
    projector.run_until(START + days * DAY)
    return projector


def count_kept(projector: Projector) -> list[int]:
    """Slots of both upstream DAGs, task states, and the most keys of a DAG."""
    runs = projector.store.runs
    kept = list(runs._dags.values())
    return [len(kept[0].slots), len(kept[1].slots), len(runs._task_states), max(len(dag.run_ids) for dag in kept)]


def test_what_is_kept_of_waits_is_bounded() -> None:
    daily, often, states, keys = count_kept(project(130))
    assert daily <= 2 * KEPT_SLOTS and keys == KEPT_KEYS
    assert often <= 40 * 8 + 2 * KEPT_SLOTS
    assert states <= often


def test_a_slot_whose_run_failed_is_kept_because_others_may_wait_for_it() -> None:
    projector = project(140, frozenset({3}))
    daily = projector.store.runs._dags[1]
    at = START + 3 * DAY + 2 * 3600 * SECOND
    assert at in daily.slots and daily.order[0] == at and daily.order[1] > at + 5 * DAY
    waiting = {run.record.run_after for run in projector.engine_state.runs.values() if run.dag.record.dag_id == "last"}
    assert min(waiting) == START + 3 * DAY + 20 * 3600 * SECOND  # it still waits for the run of that day
