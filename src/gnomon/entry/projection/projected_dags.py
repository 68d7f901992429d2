"""The records of DAGs that are in no database: those of parsed files, as a deployment has them that runs them already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import compute_creation_time, compute_fingerprint
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.rules.timetables.registry import build

PAST_S = 40 * 86_400
"""How far back slots of DAGs are taken as done: a run waits for slots of the last month at most, unless its schedule is rarer."""
PAST_SLOTS_MAX = 3_000
"""Most of them for one DAG."""


RAISED_LATER = say("priorities_raised_later_are_left_out")


@dataclass(frozen=True, slots=True)
class RunningDag:
    """A DAG that has run for some time: its record, and the slots before the projection, which have succeeded."""

    record: DagRecord
    past_slots: tuple[PlannedRun, ...] = ()


def build_records(specs: Iterable[tuple[DagSpec, str]], at: Instant) -> list[DagRecord]:
    """A record for each DAG, given with its file, as if all had been parsed for the first time and unpaused at that instant.

    Hooks that change task instances are left out: they are author code, which a projection does not call for each try.
    """
    return [
        DagRecord(
            dag_pk=number,
            dag_id=spec.dag_id,
            group_no=group_of(spec.dag_id),
            paused=False,
            active=True,
            plan_seq=0,
            cursor=None,
            next_run=None,
            fingerprint=None,
            version_pk=number,
            spec=drop_unprojected(spec),
            task_numbers={task.task_id: place for place, task in enumerate(spec.tasks)},
            file=file,
            input_hash="",
            live_at=at,
        )
        for number, (spec, file) in enumerate(specs, 1)
    ]


def drop_unprojected(spec: DagSpec) -> DagSpec:
    """The DAG without what a projection does not do: the hook of its instances, which is author code, and runs by partitions of assets.

    A DAG that follows its own runs and whose tasks run no code takes no time, and time would stand still in it: its first task gets a duration that is not known.
    """
    if spec.mutates_instances:
        spec = replace(spec, mutates_instances=False)
    if takes_no_time(spec):
        spec = replace(spec, tasks=(replace(spec.tasks[0], runs_code=True), *spec.tasks[1:]))
    return replace(spec, asset_condition=None, partition_rules=()) if spec.partition_rules else spec


def takes_no_time(spec: DagSpec) -> bool:
    """Whether its runs follow one another, and none of its tasks runs code."""
    return spec.timetable.is_continuous and bool(spec.tasks) and not any(task.runs_code for task in spec.tasks)


def list_unprojected(specs: Iterable[DagSpec]) -> list[Sentence]:
    """Sentences about the DAGs whose runs by partitions of assets are left out, and about priorities that baselines of DAG files will raise."""
    listed = list(specs)
    names = sorted(spec.dag_id for spec in listed if spec.partition_rules)
    sentences = [say("partitions_are_not_projected", count=len(names), names=", ".join(names))] if names else []
    if any(baseline.priority for spec in listed for baseline in spec.baselines):
        sentences.append(RAISED_LATER)
    return sentences


def build_running_dags(specs: Iterable[tuple[DagSpec, str]], at: Instant) -> list[RunningDag]:
    """The DAGs as if every slot due before `at` had its run and all had succeeded, so that no past slot is late.

    A DAG with a timetable of an author starts as one that was unpaused at `at`: its past slots are not asked for.
    """
    return [_let_run(record, at) for record in build_records(specs, at)]


def _let_run(record: DagRecord, at: Instant) -> RunningDag:
    spec = record.spec
    ref = spec.timetable
    if not ref.builtin or not ref.can_be_scheduled or ref.follows_runs or ref.is_continuous:
        return RunningDag(record)
    timetable = build(ref)
    begin = max(at - PAST_S * SECOND, 0 if spec.start_at is None else spec.start_at)
    if not ref.periodic and spec.start_at is not None:
        begin = min(spec.start_at, at)  # a schedule of single instants: all of them before `at` are over
    try:
        past = _list_past(
            list_runs_in_window(
                timetable, start=begin, end=at, most=100 * PAST_SLOTS_MAX, earliest=spec.start_at, latest=spec.end_at
            ).runs,
            spec,
            at,
        )
        following = list_runs_in_window(
            timetable, start=past[-1].run_after + 1 if past else at, most=1, earliest=spec.start_at, latest=spec.end_at
        ).runs
    except PlanningError:
        return RunningDag(record)  # planning fails too, and the DAG shows the error
    if not past and not following:
        return RunningDag(record)
    if past:
        last = past[-1]
        record.cursor = Cursor(
            run_after=last.run_after, interval_start=last.interval_start, interval_end=last.interval_end
        )
    record.next_run = following[0] if following else None
    record.fingerprint = compute_fingerprint(ref, spec)
    record.live_at = begin
    return RunningDag(record, tuple(past[-PAST_SLOTS_MAX:]))


def _list_past(runs: list[PlannedRun], spec: DagSpec, at: Instant) -> list[PlannedRun]:
    """Those whose run was created before `at`, which is later than the slot for a DAG with jitter."""
    return [run for run in runs if compute_creation_time(spec, run) < at]
