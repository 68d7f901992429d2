"""`gnomon simulate --replay`: a day once more, with the recorded durations and the schedules, pools and limits of now, beside what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.projected_dags import build_running_dags, drop_unprojected, list_unprojected
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.recorded_times import RecordedTimes
from gnomon.entry.projection.run_outcomes import OutcomeCollector, RunOutcome
from gnomon.entry.projection.run_pairs import RunPair, pair_runs
from gnomon.model.errors.product import UserError
from gnomon.model.ids import GROUPS, shorten_names
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, PoolRecord
from gnomon.model.sentences import Sentence, say
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import shape_of
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import day_history
from gnomon.storage.store.dag_records.day_history import PastAttempt, PastRun, PastTask
from gnomon.storage.store.ownership import group_state

LEAD_S = 86_400
"""A replay begins at most so long before its day: with the first run that had not ended when the day began."""
RUN_OUT_S = 86_400
"""How long after the day its runs may go on."""
SHARE = 0.01
LEAST_S = 1.0
"""A start is the same if it differs by at most SHARE of the span of its run, or by LEAST_S."""
_REPLAYED = ("scheduled", "asset_triggered")


@dataclass(frozen=True)
class DayRecord:
    """What the store knows of a day, and the DAGs, pools and slots of now."""

    begin: Instant
    end: Instant
    start: Instant
    """Where the replay begins: with the first run that had not ended at `begin`."""
    dags: list[DagRecord]
    """Those that had runs of their schedule or of assets."""
    runs: list[PastRun]
    """Those due from `start` on, and those that followed the day: they held slots while its last runs went on."""
    attempts: list[PastAttempt]
    tasks: list[PastTask]
    pools: list[PoolRecord]
    worker_slots: int
    """Of all live workers; 0: none is alive."""
    left_out: list[Sentence]


@dataclass(frozen=True)
class Replay:
    """Runs as they were and as they are replayed, and what both say."""

    pairs: list[RunPair]
    """By actual start: the run as it was, and the replayed one; None: there is none."""
    same_starts: int
    compared: int
    same_order: int
    """Of the runs that follow another in the day, those that follow it in the replay too."""
    notes: list[Sentence]


def read_day(db: Database, begin: Instant, end: Instant) -> DayRecord:
    """Raises UserError for a day without a run, or with too many."""
    with db.read() as tx:
        runs = day_history.list_runs(tx, begin - LEAD_S * SECOND, end + RUN_OUT_S * SECOND)
        of_day = [run for run in runs if begin <= run.run_after < end]
        if not of_day:
            raise UserError(say("replay_has_no_history", since=begin, until=end))
        if len(runs) > day_history.RUNS_MAX:
            raise UserError(say("replay_is_too_large", most=day_history.RUNS_MAX))
        reaching = [run.run_after for run in runs if run.run_after < begin and (run.ended_at or end) > begin]
        start = min(reaching, default=begin)
        runs = [run for run in runs if run.run_after >= start]
        state = group_state.load_groups(tx, range(GROUPS))
        regular = {run.dag_pk for run in runs if run.run_type in _REPLAYED}
        dags = [
            replace(dag, spec=drop_unprojected(dag.spec)) for dag in state.dags if dag.active and dag.dag_pk in regular
        ]
        run_pks = [run.run_pk for run in runs]
        return DayRecord(
            begin,
            end,
            start,
            dags,
            runs,
            day_history.list_attempts(tx, run_pks),
            day_history.list_tasks(tx, run_pks),
            [replace(pool, used=0) for pool in group_state.load_pools(tx)],
            sum(worker.slots for worker in leases.list_workers(tx)),
            [*_list_left_out(of_day, dags), *list_unprojected(dag.spec for dag in state.dags if dag.active)],
        )


def _list_left_out(runs: Sequence[PastRun], dags: Iterable[DagRecord]) -> list[Sentence]:
    """What of the day cannot be replayed, or only with another world than it had."""
    known = {dag.dag_pk: dag for dag in dags}
    by_type = Counter(run.run_type for run in runs if run.run_type not in _REPLAYED)
    gone = sum(run.dag_pk not in known for run in runs if run.run_type in _REPLAYED)
    cleared = [run.run_id for run in runs if run.clear_number]
    changed = {
        known[run.dag_pk].dag_id
        for run in runs
        if run.dag_pk in known and run.version_pk is not None and run.version_pk != known[run.dag_pk].version_pk
    }
    sentences = [
        say("replay_leaves_type_out", count=number, run_type=run_type) for run_type, number in sorted(by_type.items())
    ]
    if gone:
        sentences.append(say("replay_leaves_deleted_out", count=gone))
    if cleared:
        sentences.append(say("replay_has_cleared_runs", count=len(cleared), names=shorten_names(cleared)))
    if changed:
        sentences.append(say("replay_has_other_versions", count=len(changed), names=shorten_names(changed)))
    return sentences


def replay_day(day: DayRecord, settings: SchedulerSettings, timetables: TimetableHost | None = None) -> Replay:
    """Let the scheduler's parts do the day again. Raises UserError when time stands still in it."""
    script = read_script(day)
    outcomes = project_day(day, settings, script, timetables)
    actual = _list_actual(day)
    specs = {dag.dag_id: dag.spec for dag in day.dags}
    replayed = [run for run in outcomes if day.begin <= run.run_after < day.end]
    pairs = [pair for of_dag in pair_runs(actual, replayed, specs).values() for pair in of_dag]
    pairs.sort(key=_sort_key)
    both = [
        (first, second)
        for first, second in pairs
        if first and second and first.started_at is not None and second.started_at is not None
    ]
    starts = [second.started_at or 0 for _, second in both]
    return Replay(
        pairs,
        sum(_is_same_start(first, second) for first, second in both),
        len(both),
        sum(late >= early for early, late in zip(starts, starts[1:], strict=False)),
        [*day.left_out, *_list_notes(script, day)],
    )


def read_script(day: DayRecord) -> RecordedTimes:
    """What each try of the day did."""
    return RecordedTimes({dag.dag_pk: dag for dag in day.dags}, day.runs, day.attempts, day.tasks, day.end)


def project_day(
    day: DayRecord,
    settings: SchedulerSettings,
    script: RecordedTimes,
    timetables: TimetableHost | None = None,
    *,
    with_tasks: bool = False,
) -> list[RunOutcome]:
    """The runs of the replay, those that follow the day included. Raises UserError when time stands still in it."""
    projector = Projector(
        settings=settings,
        start=day.start,
        script=script.play,
        pools=day.pools,
        worker_slots=day.worker_slots or settings.limits.parallelism or 1_000,
        timetables=timetables,
    )
    collector = OutcomeCollector(projector.engine_state, with_tasks=with_tasks)
    projector.observe = collector.observe
    specs = [(dag.spec, dag.file) for dag in day.dags]
    errors = errors_of({spec.dag_id: shape_of(spec) for spec, _ in specs})
    running = build_running_dags(specs, day.start)
    projector.add_dags(
        [replace(dag.record, dependency_error=errors.get(dag.record.dag_id)) for dag in running],
        {dag.record.dag_pk: dag.past_slots for dag in running},
    )
    projector.run_until(day.end)
    end = day.end + RUN_OUT_S * SECOND
    while projector.now < end and _has_runs_before(projector, day.end):
        projector.run_until(min(end, projector.now + 3600 * SECOND))
    return [*collector.runs, *collector.list_unfinished(projector.now, with_waits=False)]


def _has_runs_before(projector: Projector, end: Instant) -> bool:
    return any(run.record.run_after < end for run in projector.engine_state.runs.values())


def _list_actual(day: DayRecord) -> list[RunOutcome]:
    names = {dag.dag_pk: dag.dag_id for dag in day.dags}
    return [
        RunOutcome(
            names[run.dag_pk],
            run.run_pk,
            run.run_id,
            run.run_type,
            run.run_after,
            run.state,
            run.queued_at,
            run.started_at,
            run.ended_at,
        )
        for run in day.runs
        if day.begin <= run.run_after < day.end and run.run_type in _REPLAYED and run.dag_pk in names
    ]


def _sort_key(pair: RunPair) -> tuple[Instant, str]:
    run = pair[0] or pair[1]
    assert run is not None
    return run.run_after if run.started_at is None else run.started_at, run.dag_id


def _is_same_start(first: RunOutcome, second: RunOutcome) -> bool:
    assert first.started_at is not None and second.started_at is not None
    span_s = 0.0 if first.ended_at is None else (first.ended_at - first.started_at) / SECOND
    return abs(second.started_at - first.started_at) / SECOND <= max(LEAST_S, SHARE * span_s)


def _list_notes(script: RecordedTimes, day: DayRecord) -> list[Sentence]:
    notes: list[Sentence] = []
    for code, tasks in (("replay_tries_are_unrecorded", script.unrecorded), ("replay_tries_waited", script.resumed)):
        if tasks:
            names = [f"{dag_id}.{task_id}" for dag_id, task_id in tasks]
            notes.append(say(code, count=len(names), names=shorten_names(names)))
    if not day.worker_slots:
        notes.append(say("forecast_without_workers"))
    return notes
