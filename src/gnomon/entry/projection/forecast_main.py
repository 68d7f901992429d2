"""The process of the monitor's forecast: reads the store once, draws futures at idle priority, writes a ForecastReport as JSON and ends.

`python -m gnomon.entry.projection.forecast_main`; its home is that of the environment. Nothing is written to the store but summaries of durations.
"""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace

import msgspec

from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.author_code.timetable_host.settings import build_timetable_host_settings
from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.baseline_forecast import PAST_S, BaselineCollector, DueSubject, list_subjects
from gnomon.entry.projection.forecast import Drawing, ForecastCollector, ForecastRow, draw_futures
from gnomon.entry.projection.idle_process import MEMORY_BYTES, become_idle
from gnomon.entry.projection.projected_dags import RAISED_LATER
from gnomon.entry.projection.snapshot import Snapshot, read_snapshot
from gnomon.entry.projection.waiting_host import WaitingTimetableHost
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, load_config
from gnomon.ground.config.baselines import read_baselines
from gnomon.ground.config.environment import environment
from gnomon.model.baseline_specs import BaselineSpec, name_for_dag
from gnomon.model.baselines import ForecastReport, PredictedRun
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, render, say
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.alert_records import baseline_states, stored_baselines
from gnomon.storage.store.dag_records import duration_summaries

LEAST_S = 3_600
"""Runs of the coming hour are predicted at least, also for a baseline that is due sooner."""


def make_report(cfg: Config, db: Database, now: Instant) -> ForecastReport:
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
    report = _draw(cfg, snapshot, subjects, [*doubles, *faults], until, drawing)
    return msgspec.structs.replace(report, specs=tuple(specs))


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
            doubles.append(say("baseline_is_written_twice", place=spec.place, name=spec.name, elsewhere=other.place))
    return list(specs.values()), doubles


def _draw(
    cfg: Config,
    snapshot: Snapshot,
    subjects: list[DueSubject],
    faults: list[Sentence],
    until: Instant,
    drawing: Drawing,
) -> ForecastReport:
    settings = build_scheduler_settings(cfg)
    settings = replace(settings, limits=replace(settings.limits, executors=None))
    baselines, runs = BaselineCollector(subjects, snapshot), ForecastCollector(with_tasks=False)
    hosts = build_timetable_host_settings(cfg)
    with closing(WaitingTimetableHost(SubprocessTimetableHost(hosts, SystemClock()))) as host:
        for future in draw_futures(snapshot, settings, until, drawing, host):
            runs.add(future)
            baselines.add(future.runs)
    answer = runs.build(snapshot, until, drawing)
    is_raising = any(subject.spec.priority for subject in subjects) and RAISED_LATER not in answer.assumptions
    assumptions = tuple(map(render, (*answer.assumptions, *([RAISED_LATER] if is_raising else ()))))
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


def main() -> int:
    """Print the report; the exit code is 1 after an error, which stands on stderr."""
    die_with_parent(signal.SIGKILL)
    become_idle()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        cfg = load_config(environment())
        with closing(open_database(cfg.database_url, role="forecast", cipher=load_cipher(cfg))) as db:
            report = make_report(cfg, db, SystemClock().now())
    except (GnomonError, MemoryError) as error:
        sys.stderr.write(f"{error or 'it needed more memory than it may have'}\n")
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(report))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
