"""The report of the monitor's forecast: the coming runs of a deployment, and what is known of the due times of its baselines."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

import msgspec

from gnomon.author_code.timetable_host.settings import build_timetable_host_settings
from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.baseline_forecast import PAST_S, BaselineCollector, DueSubject, list_subjects
from gnomon.entry.projection.forecast import Drawing, ForecastRow, Future
from gnomon.entry.projection.kept_forecast import KeptForecast
from gnomon.entry.projection.projected_dags import RAISED_LATER
from gnomon.entry.projection.snapshot import Snapshot, read_snapshot
from gnomon.entry.projection.waiting_host import WaitingTimetableHost
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.ground.config.baselines import read_baselines
from gnomon.model.baseline_specs import BaselineSpec, name_for_dag
from gnomon.model.baselines import ForecastReport, PredictedRun
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, render, say
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import Database
from gnomon.storage.store.alert_records import baseline_states, stored_baselines
from gnomon.storage.store.dag_records import duration_summaries

LEAST_S = 3_600
"""Runs of the coming hour are predicted at least, also for a baseline that is due sooner."""


class ForecastReporter:
    """Makes reports one after another. What has not changed since the one before is not drawn again. `clock`: measures how long drawing takes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._forecast = KeptForecast(clock)
        self._subjects: dict[tuple[str, Instant], DueSubject] = {}
        """Of the last report, by baseline and due time."""

    @property
    def is_complete(self) -> bool:
        """Whether the last report is of as many futures as it shall be."""
        return self._forecast.is_complete

    @property
    def has_drawn_all(self) -> bool:
        """Whether the last report took over nothing of an earlier one."""
        return self._forecast.drawn is None

    def report(self, cfg: Config, db: Database, now: Instant) -> ForecastReport:
        """Project the store as it is now until the last due time of the coming 24 hours."""
        snapshot = read_snapshot(db, now)
        if snapshot.fresh_summaries:
            with db.write() as tx:
                duration_summaries.put_summaries(tx, snapshot.fresh_summaries)
        with db.read() as tx:
            stored = stored_baselines.list_specs(tx)
        specs, doubles = collect_specs(cfg, snapshot, stored)
        with db.read() as tx:
            known = baseline_states.list_states(tx, now - 2 * PAST_S * SECOND)
            subjects, faults = list_subjects(tx, specs, known, snapshot, BaselineCalendars(cfg.home))
        until = max([now + LEAST_S * SECOND, *(subject.due.due_at for subject in subjects)])
        asked = frozenset(dag_id for subject in subjects for dag_id, _ in subject.of)
        drawing = replace(build_drawing(cfg), tasks_of=asked)
        report = self._draw(cfg, snapshot, subjects, [*doubles, *faults], until, drawing)
        return msgspec.structs.replace(report, specs=tuple(specs))

    def _draw(
        self,
        cfg: Config,
        snapshot: Snapshot,
        subjects: list[DueSubject],
        faults: list[Sentence],
        until: Instant,
        drawing: Drawing,
    ) -> ForecastReport:
        settings = build_scheduler_settings(cfg)
        settings = replace(settings, limits=replace(settings.limits, executors=None))
        hosts = build_timetable_host_settings(cfg)

        observer = _SubjectObserver(subjects, self._subjects, snapshot)
        with closing(WaitingTimetableHost(SubprocessTimetableHost(hosts, SystemClock()))) as host:
            together = [{dag_id for dag_id, _ in subject.of} for subject in subjects if len(subject.of) > 1]
            answer = self._forecast.draw(
                snapshot, settings, until, drawing, host, observer, together, observer.list_new()
            )
        self._subjects = {(subject.spec.name, subject.due.due_at): subject for subject in subjects}
        is_raising = any(subject.spec.priority for subject in subjects) and RAISED_LATER not in answer.assumptions
        assumptions = tuple(map(render, (*answer.assumptions, *([RAISED_LATER] if is_raising else ()))))
        baselines = BaselineCollector(subjects, snapshot)
        judged = [(subject, baselines.build(subject, assumptions)) for subject in subjects]
        return ForecastReport(
            at=snapshot.at,
            until=until,
            samples=answer.samples,
            runs=tuple(_build_run(row) for row in answer.rows),
            baselines=tuple((subject.spec.name, forecast) for subject, forecast in judged if forecast is not None),
            assumptions=assumptions,
            faults=tuple(render(fault) for fault in faults),
        )


class _SubjectObserver:
    """Collects what futures say of due times, beside what the last report found out about them: `last`, by baseline and due time."""

    def __init__(
        self, subjects: Sequence[DueSubject], last: Mapping[tuple[str, Instant], DueSubject], snapshot: Snapshot
    ) -> None:
        self._subjects, self._last, self._snapshot = subjects, last, snapshot
        self._all = BaselineCollector(subjects, snapshot)
        self._again = self._all
        """Of the due times whose DAGs are drawn again."""

    def list_new(self) -> set[str]:
        """The DAGs of due times of which the last report knows nothing."""
        new = (subject for subject in self._subjects if self._find_last(subject) is None)
        return {dag_id for subject in new for dag_id, _ in subject.of}

    def begin(self, drawn: Collection[str] | None) -> None:
        """Take over from the last report what is known of due times none of whose DAGs is drawn again."""
        again = [subject for subject in self._subjects if not self._take_over(subject, drawn)]
        self._again = BaselineCollector(again, self._snapshot)

    def add(self, future: Future) -> None:
        """A future of the DAGs that are drawn again."""
        self._again.add(future.runs)

    def add_whole(self, future: Future) -> None:
        """One more future of all DAGs."""
        self._all.add(future.runs)

    def _take_over(self, subject: DueSubject, drawn: Collection[str] | None) -> bool:
        last = self._find_last(subject)
        if drawn is None or last is None or any(dag_id in drawn for dag_id, _ in subject.of):
            subject.ends, subject.paths, subject.unfinished = [], [], 0
            return False
        subject.ends, subject.paths, subject.unfinished = last.ends, last.paths, last.unfinished
        return True

    def _find_last(self, subject: DueSubject) -> DueSubject | None:
        last = self._last.get((subject.spec.name, subject.due.due_at))
        return last if last is not None and last.is_asked_like(subject) else None


def build_drawing(cfg: Config) -> Drawing:
    """How the futures of the monitor's forecast are drawn."""
    return Drawing(
        samples=cfg.integer("forecast", "samples"),
        assumed_s=cfg.number("forecast", "assumed_duration"),
        max_s=cfg.number("forecast", "max_time"),
        with_tasks=True,
    )


def collect_specs(
    cfg: Config, snapshot: Snapshot, stored: Iterable[BaselineSpec]
) -> tuple[list[BaselineSpec], list[Sentence]]:
    """The baselines of gnomon.toml, of DAG files and of the store, and a sentence about each whose name another one has."""
    specs: dict[str, BaselineSpec] = {}
    doubles: list[Sentence] = []
    of_dags = [
        name_for_dag(spec, dag.dag_id, dag.spec.local_timezone)
        for dag in snapshot.state.dags
        if dag.active
        for spec in dag.spec.baselines
    ]
    for spec in (*read_baselines(cfg.home, cfg.text("core", "default_timezone")), *of_dags, *stored):
        other = specs.setdefault(spec.name, spec)
        if other is not spec:
            doubles.append(
                say("baseline_is_written_twice", place=spec.place, baseline=spec.name, elsewhere=other.place)
            )
    return list(specs.values()), doubles


def _build_run(row: ForecastRow) -> PredictedRun:
    return PredictedRun(
        dag_id=row.dag_id,
        run_id=row.run_id,
        run_type=row.run_type,
        run_after=row.run_after,
        start_p50=row.start_p50,
        end_p50=row.end_p50,
        end_p90=row.end_p90,
        failed_share=row.failed_share,
    )
