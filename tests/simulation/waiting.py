"""Simulates days of DAGs that wait for each other in chains and fans, and audits them with a second implementation of the rules.

`tests.unit.rules.dependencies.reading`, which was written from the documentation alone, finds the slots that a run waits for; the
times at which those runs ended give the earliest start of the run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.databases import create_schema
from tests.unit.rules.dependencies.reading import Dag, waits_for, waits_for_itself
from tests.unit.rules.timetables.periods import timetable_of
from tests.unit.rules.timetables.walked import Spec

from gnomon.entry.simulate import FaultPlan, list_lost_slots
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.model.after import After
from gnomon.model.attempts import Attempt
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.records import RunRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.rules.timetables.registry import reference
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play

ZONE = "Europe/Berlin"
FIRST = date(2026, 3, 27)
"""The clock is set forward on the 29th."""
MORE_DAYS = 3
"""After the last planned run: everything that can end has ended."""
CHAIN = 0.5
"""How many DAGs wait for the one made just before them; the others wait for any earlier ones."""


@dataclass
class Flow:
    """One DAG, and what it waits for."""

    dag: Dag
    edges: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@dataclass
class Waited:
    """What came of it."""

    found: list[str]
    runs: int
    waits: int
    """Runs of others that runs waited for."""
    faults: dict[str, int]


def simulate_waiting(folder: Path, seed: int, *, dag_count: int, days: int, faults: FaultPlan | None = None) -> Waited:
    """Play one seed to its end, and audit it. `faults`: then runs may start late, never early."""
    url = f"sqlite:///{folder / f'waiting-{seed}.db'}"
    create_schema(url)
    rng = random.Random(seed)
    start = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC)
    last = start + timedelta(days=days)
    flows = _flows(rng, dag_count, (start, last))
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: to_instant(start))
    it = YearSimulation(db, seed=seed, start=to_instant(start), faults=faults, script=_play)
    for dag_id, flow in flows.items():
        it.parse(_spec(dag_id, flow), "1")
    it.run_until(to_instant(last + timedelta(days=MORE_DAYS)))
    with db.read() as tx:
        made = {dag_id: {run.run_after: run for run in dag_runs.list_runs(tx, dag_id)} for dag_id in flows}
    lost = list_lost_slots(db, to_instant(start))
    db.close()
    audited = _audit(flows, made, exact=not it.faulty.injected)
    return Waited(audited[0] + lost, sum(map(len, made.values())), audited[1], dict(it.faulty.injected))


def _play(_: Attempt, rng: random.Random) -> Play:
    return Play(run_s=rng.choice((0.0, 1.0, 60.0, 900.0, 5400.0)))


def _flows(rng: random.Random, count: int, bounds: tuple[datetime, datetime]) -> dict[str, Flow]:
    found: dict[str, Flow] = {}
    for number in range(count):
        flow = Flow(Dag(_timetable(rng), named_zone(ZONE), bounds))
        names = sorted(found)
        if names and rng.random() < CHAIN:
            flow.edges.append((names[-1], _options(rng)))
        elif names:
            flow.edges += [(name, _options(rng)) for name in rng.sample(names, min(len(names), rng.randint(0, 3)))]
        if rng.random() < 0.1:
            flow.edges.append((f"flow_{number:04d}", {"previous": rng.choice((1, 1, 3))}))
        found[f"flow_{number:04d}"] = flow
    return found


def _timetable(rng: random.Random) -> Spec:
    at = f"{rng.randrange(24):02d}:{rng.choice((0, 15, 30)):02d}"
    roll = rng.random()
    if roll < 0.03:
        return {"kind": "minute", "every": 30, "start": "00:00", "end": "23:59"}
    if roll < 0.1:
        return {"kind": "hour", "every": rng.choice((1, 2, 6)), "start": "00:00", "end": "23:59"}
    if roll < 0.4:
        return {
            "kind": "discrete_hours",
            "hours": rng.sample(range(24), rng.randint(2, 4)),
            "minute": rng.choice((0, 30)),
        }
    if roll < 0.9:
        return {"kind": "day", "at": at}
    return {"kind": "week", "weekdays": rng.sample(range(1, 8), rng.randint(1, 3)), "at": at}


def _options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["empty_interval"] = rng.choice(("nearest", "forward"))
    if rng.random() < 0.2:
        options["take"] = rng.choice(("last", "first", "any"))
    if rng.random() < 0.2:
        options["previous"] = rng.choice((1, 1, 2))
    return options


def _spec(dag_id: str, flow: Flow) -> DagSpec:
    start, last = (None if bound is None else to_instant(bound) for bound in flow.dag.bounds)
    return DagSpec(
        dag_id=dag_id,
        timetable=reference(timetable_of(flow.dag.spec, timezone=ZONE)),
        tasks=(TaskSpec(task_id="t"),),
        timezone=ZONE,
        start_at=start,
        end_at=last,
        catchup=True,
        overlap="allow",
        paused_upon_creation=False,
        depends_on=tuple(to_dependency_spec(After(up, **options)) for up, options in flow.edges),
    )


def _audit(flows: dict[str, Flow], made: dict[str, dict[Instant, RunRecord]], *, exact: bool) -> tuple[list[str], int]:
    found: list[str] = []
    waits = 0
    for dag_id, flow in flows.items():
        due = _due(flow.dag)
        found += [f"{dag_id}: no run at {to_datetime(at)}" for at in due if at not in made[dag_id]]
        for at, run in made[dag_id].items():
            if run.state is not DagRunState.SUCCESS or run.started_at is None:
                found.append(f"{dag_id} {run.run_id} is {run.state}: {run.reason}")
                continue
            may_start = at
            for up, options in flow.edges:
                ended = _ended(flow, flows[up], up == dag_id, made[up], to_datetime(at), options)
                waits += len(ended)
                if ended:
                    may_start = max(may_start, min(ended) if options.get("take") == "any" else max(ended))
            if run.started_at < may_start or (exact and run.started_at > may_start):
                found.append(
                    f"{dag_id} {run.run_id} started at {to_datetime(run.started_at)}, might at {to_datetime(may_start)}"
                )
    return found, waits


def _ended(
    flow: Flow, up: Flow, itself: bool, made: dict[Instant, RunRecord], at: datetime, options: dict[str, Any]
) -> list[Instant]:
    """When each run ended that this one waits for; an unfinished one never."""
    slots = waits_for_itself(up.dag, at, options["previous"]) if itself else waits_for(flow.dag, up.dag, at, options)[0]
    ends = [made[to_instant(slot)].ended_at if to_instant(slot) in made else None for slot in slots]
    return [1 << 62 if end is None else end for end in ends]


def _due(dag: Dag) -> list[Instant]:
    start, last = dag.bounds
    assert start is not None and last is not None
    days = range(-1, (last - start).days + 2)
    return sorted(
        {to_instant(slot) for day in days for _, slots in dag.slots(start.date() + timedelta(day)) for slot in slots}
    )
