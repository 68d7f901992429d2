"""The process of a simulation of the API: reads its row and the state of the store, draws both worlds at idle priority, writes the answer and ends.

`python -m gnomon.entry.projection.what_if.simulation_main ID`; its home is that of the environment. Its standard input is open as long as its api-server lives.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from gnomon.author_code.processes.kernel import HOST_OOM_SCORE, raise_oom_score
from gnomon.changes.scenarios.expectation import read_expectation
from gnomon.changes.scenarios.scenario_changes import Change, check_changes, find
from gnomon.changes.scenarios.scenario_document import read_json
from gnomon.changes.scenarios.scenario_times import find_span, resolve_moment
from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.baseline_forecast import PAST_S, DueSubject, list_subjects
from gnomon.entry.projection.forecast_report import collect_specs
from gnomon.entry.projection.idle_process import MEMORY_BYTES, become_idle
from gnomon.entry.projection.simulation_size import refuse_too_large
from gnomon.entry.projection.snapshot import Snapshot, read_snapshot
from gnomon.entry.projection.waiting_host import start_host
from gnomon.entry.projection.what_if.both_worlds import BothDrawing, WorldFutures, draw_both
from gnomon.entry.projection.what_if.changed_times import TimeChanges
from gnomon.entry.projection.what_if.changed_world import World, change_world, list_idle_changes
from gnomon.entry.projection.what_if.simulation_comparison import Levels, build_answer
from gnomon.entry.projection.what_if.simulation_watch import SimulationWatch
from gnomon.ground.clock import Clock, SystemClock
from gnomon.ground.config import Config, load_config
from gnomon.ground.config.environment import environment
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Command, Sentence, render, say
from gnomon.model.simulations import SimulationAnswer, SimulationState
from gnomon.model.spec import DagSpec
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.alert_records import baseline_states, simulation_jobs, stored_baselines
from gnomon.storage.store.dag_records import duration_summaries
from gnomon.storage.store.parsed_files import dag_files

MAX_RUNS = 200_000
"""A simulation of more runs is refused: it is for the coming days, and `gnomon simulate` for more."""


def simulate_changes(
    cfg: Config, db: Database, changes: Sequence[Change], samples: int, now: Instant, tell: Callable[[int], object]
) -> SimulationAnswer:
    """Both worlds from the state of the store. `tell`: called with the number of futures after each. Raises UserError for names that nothing has, and for a time that is too long."""
    snapshot = read_snapshot(db, now)
    if snapshot.fresh_summaries:
        with db.write() as tx:
            duration_summaries.put_summaries(tx, snapshot.fresh_summaries)
    settings = build_scheduler_settings(cfg)
    settings = replace(settings, limits=replace(settings.limits, executors=None))
    before = World(snapshot, settings, TimeChanges())
    changes = check_changes(changes, list(before.specs.values()), before.pools)
    since, until = find_span(changes, now, lambda moment: resolve_moment(moment, cfg))
    after = change_world(before, changes)
    for world in (before, after):
        refuse_too_large(_list_running(world), now, until, MAX_RUNS)
    drawing = build_both_drawing(cfg, changes, samples)
    expectations = [
        read_expectation(change.value, after.specs, change.place) for change in changes if change.key == "expect"
    ]
    subjects, levels = _list_subjects(cfg, db, snapshot, until)
    notes = [*list_idle_changes(before, changes), *_list_broken_files(db)]
    with closing(start_host(cfg)) as host:
        both = draw_both(
            WorldFutures(before, until, subjects, expectations, host),
            WorldFutures(after, until, [replace(each, ends=[], paths=[]) for each in subjects], expectations, host),
            drawing,
            tell,
        )
        return build_answer(both, drawing, since, until, levels, notes)


def build_both_drawing(cfg: Config, changes: Sequence[Change], samples: int) -> BothDrawing:
    """How the futures of a simulation are drawn."""
    return BothDrawing(
        samples,
        find(changes, "seed", 1),
        find(changes, "assume", cfg.number("forecast", "assumed_duration")),
        cfg.number("forecast", "simulation_max_time"),
    )


def _list_running(world: World) -> list[DagSpec]:
    return [dag.spec for dag in world.snapshot.state.dags if dag.active and not dag.paused]


def _list_subjects(cfg: Config, db: Database, snapshot: Snapshot, until: Instant) -> tuple[list[DueSubject], Levels]:
    """The due times of baselines until then, and how they stand."""
    with db.read() as tx:
        specs, _ = collect_specs(cfg, snapshot, stored_baselines.list_specs(tx))
        known = baseline_states.list_states(tx, snapshot.at - 2 * PAST_S * SECOND)
        subjects, _ = list_subjects(
            tx, specs, known, snapshot, BaselineCalendars(cfg.home), (until - snapshot.at) / SECOND
        )
    levels = {(record.baseline, record.due_at): record.level for record in known}
    return [subject for subject in subjects if snapshot.at <= subject.due.due_at <= until], levels


def _list_broken_files(db: Database) -> list[Sentence]:
    with db.read() as tx:
        count = len({error.path for error in dag_files.list_import_errors(tx)})
    # Without their names: whoever reads the answer may see some of them only.
    return [say("simulation_has_broken_files", count=count, command=Command("dags errors"))] if count else []


def run_job(cfg: Config, db: Database, clock: Clock, simulation_id: str, lifeline: int) -> None:
    """Compute the job and write how it ended."""
    with db.read() as tx:
        job = simulation_jobs.find_job(tx, simulation_id)
    if job is None or job.state is not SimulationState.RUNNING:
        return
    watch = SimulationWatch(db, clock, simulation_id, cfg.number("forecast", "simulation_max_time"), lifeline)
    watch.start()
    result: SimulationAnswer | str
    try:
        changes = read_json(json.loads(job.scenario))
        result = simulate_changes(cfg, db, changes, job.samples, clock.now(), watch.tell)
    except GnomonError as error:
        result = str(error)
    except MemoryError:
        result = render(say("simulation_needs_memory", size=f"{MEMORY_BYTES // 1024**3} GB"))
    watch.end(lambda samples: _write_result(db, clock, simulation_id, samples, result))


def _write_result(db: Database, clock: Clock, simulation_id: str, samples: int, result: SimulationAnswer | str) -> None:
    now = clock.now()
    with db.write() as tx:
        if isinstance(result, str):
            simulation_jobs.put_error(tx, simulation_id, samples, result, now)
        else:
            simulation_jobs.put_answer(tx, simulation_id, result, now)


def main(arguments: Sequence[str]) -> int:
    """Run one job; the exit code is 1 after an error that could not be written to its row."""
    become_idle()
    raise_oom_score(HOST_OOM_SCORE)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    (simulation_id,) = arguments
    try:
        cfg = load_config(environment())
        with closing(open_database(cfg.database_url, role="simulation", cipher=load_cipher(cfg))) as db:
            run_job(cfg, db, SystemClock(), simulation_id, sys.stdin.fileno())
    except GnomonError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
