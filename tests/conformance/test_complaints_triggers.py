"""What users of Airflow complain about, each as a test that its behaviour would fail: deferred tasks and the triggerer.

The numbers are issues of apache/airflow; the list is docs/contributing/airflow-surface.md, section I, and what Gnomon does about each is in
docs/contributing/complaints.md. Further ones: `test_complaints_schedules.py`, `test_complaints_runs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.databases import empty_database
from tests.unit.author_code.runner.test_deferral import Paces, _mapped
from tests.unit.rules.engine.told import tell_instance
from tests.unit.rules.engine.world import World, chain, dag_record
from tests.unit.services.triggerer.authored import TRIGGERS
from tests.unit.services.triggerer.conftest import Running
from tests.unit.services.triggerer.keeping import deferring

from gnomon.authoring.sdk import DAG
from gnomon.ground.config import Config, load_config
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.serde import loads
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

TRIGGER = Deferral(classpath="plugin.Trigger", next_method="go_on")
EVENT = DeferralResult(outcome="event", payload='"hello"')


def defer(world: World, task_id: str = "a", wait: Deferral = TRIGGER) -> RunRecord:
    """A run whose task has deferred."""
    run = world.start()
    world.end(task_id, "deferred", wait=wait)
    return run


def fire(world: World, run: RunRecord, defer_seq: int = 1) -> None:
    world.step(e.DeferralEnded(TaskKey(run.run_pk, 0, -1), defer_seq, EVENT))


@pytest.fixture
def cfg(tmp_path: Path) -> Config:
    """A home with the triggers of `authored.py` in its plugins folder."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "authored.py").write_text(TRIGGERS)
    return load_config({"GNOMON__CORE__FERNET_KEY": "secret"}, tmp_path)


@pytest.fixture
def impatient(cfg: Config) -> Iterator[Running]:
    """Real hosts of triggers; one that is silent for a second is ended."""
    hosts = Running(cfg, silent_s=1.0)
    yield hosts
    hosts.crew.kill()


# ---- 9: execution_timeout is ignored for deferred tasks, and the external job goes on --------------------------------
def test_19382_execution_timeout_ends_a_deferred_task_and_its_trigger_gets_on_kill() -> None:
    """Airflow measures `execution_timeout` of each process alone: a deferred task is never ended, and its external job goes on.

    The deadline must hold over all waits of a try, also for another scheduler, and the trigger must get `on_kill`.
    """
    world = World(dag_record(chain("a", execution_timeout_s=100.0)))
    run = defer(world)
    world.step(seconds=60)
    fire(world, run)
    world.end("a", "deferred", wait=TRIGGER)
    world.take_over()
    world.step(seconds=30)
    assert world.states(run)["a"] == "deferred"
    world.step(seconds=15)
    assert world.states(run)["a"] == "failed"
    assert "execution_timeout" in (world.rows[world.key(run, "a")].reason or "")
    assert world.killed_waits == [world.key(run, "a")]


# ---- 10: the triggerer dies or hangs as a whole ----------------------------------------------------------------------
def test_64620_a_trigger_that_fails_hangs_or_crashes_ends_alone_and_is_named(impatient: Running) -> None:
    """In Airflow one trigger that blocks, or a response out of order, stops all triggers of the triggerer; its deferred tasks wait for ever.

    Each bad trigger must end with a reason, the one that blocks with its place, and all others must fire.
    """
    healthy = {impatient.start("Nap", seconds=seconds) for seconds in (0.1, 0.5, 1.5)}
    raises, leaves, blocks = (
        impatient.start("Raises"),
        impatient.start("EndsProcess"),
        impatient.start("Blocks", seconds=600),
    )
    impatient.until(lambda: len(impatient.ends) == 6)
    assert {impatient.ends[pk].outcome for pk in healthy} == {"event"}
    reasons = {pk: impatient.ends[pk].reason or "" for pk in (raises, leaves, blocks)}
    assert reasons[raises] == "ValueError: the far end hung up"
    assert "ended" in reasons[leaves] or "exit" in reasons[leaves]
    assert "blocked the event loop of all triggers for 1 s" in reasons[blocks]
    assert "time.sleep" in (impatient.ends[blocks].traceback or "")


# ---- 11: a fired trigger waits for a pool slot and times out; stale events; triggers of a paused DAG -----------------
def test_44759_a_task_whose_trigger_has_fired_goes_before_new_tasks_and_does_not_time_out() -> None:
    """In Airflow the task queues for its pool again behind tasks with a higher priority, and the timeout of its trigger fails it meanwhile."""
    tasks = [
        TaskSpec(task_id="a", pool="small"),
        *(TaskSpec(task_id=f"new{i}", pool="small", effective_priority=9) for i in range(4)),
    ]
    world = World(dag_record(tasks), pools=[PoolRecord("small", 1, 0)])
    run = world.start()
    while not world.live("a"):
        world.end(world.live()[0].task_id)
    world.end("a", "deferred", wait=replace(TRIGGER, timeout_s=10.0))
    later = world.start()
    (busy,) = world.live()
    assert busy.run.run_pk == later.run_pk
    fire(world, run)
    world.step(seconds=60)
    why = tell_instance(world.engine_state, world.engine_state.runs[run.run_pk].task_instances[0][-1], world.now) or ""
    assert "pool small is full" in why
    world.step(world.result(busy))
    (attempt,) = world.live()
    assert (attempt.run.run_pk, attempt.task_id) == (run.run_pk, "a")
    assert attempt.resume is not None and attempt.resume.result == EVENT


def test_72716_an_event_of_the_process_before_the_deferral_does_not_fail_the_task_that_goes_on() -> None:
    """In Airflow the executor's event "finished" of the process that deferred meets the task queued again, and fails it."""
    world = World(dag_record(chain("a")))
    run = world.start()
    (before,) = world.live("a")
    world.end("a", "deferred", wait=TRIGGER)
    fire(world, run)
    (after,) = world.live("a")
    assert (after.try_number, after.seq, after.attempt_id != before.attempt_id) == (1, 2, True)
    for outcome in ("success", "failed", "lost"):
        world.step(world.result(before, outcome))
        assert world.states(run) == {"a": "queued"}
    fire(world, run)
    world.end("a")
    assert world.state(run) == "success"


def test_54927_the_triggers_of_a_paused_dag_do_not_run(cfg: Config, tmp_path: Path) -> None:
    """Airflow runs triggers of a paused DAG on. They must be cleaned up at the pause, and begin again after it."""
    notes = tmp_path / "notes"
    with empty_database("sqlite", tmp_path) as url, deferring(url, cfg) as deferred:
        wait = deferred.wait("Waits", go=str(tmp_path / "go"), notes=str(notes))
        one = deferred.keeper()
        deferred.until(notes.exists, one)
        deferred.pause("d", True)
        deferred.until(lambda: notes.read_text() == "run\ncleanup\n", one)
        assert not len(one[1]) and not deferred.events()
        deferred.pause("d", False)
        (tmp_path / "go").touch()
        deferred.until(lambda: wait.key in deferred.events(), one)


# ---- 12: start_from_trigger with mapped tasks ------------------------------------------------------------------------
def test_48009_a_mapped_task_that_starts_from_its_trigger_has_the_arguments_of_each_map_index() -> None:
    """Airflow renders and expands no trigger arguments: every index gets those of the class, or `start_from_trigger` is ignored.

    Each index must start its own trigger with its own rendered arguments, before an operator is made.
    """
    Paces.made.clear()
    with DAG("d", schedule=None) as dag:
        Paces.partial(task_id="t", rope="r").expand(
            trigger_kwargs=[{"rope": "{{ ds }} {{ ti.map_index }}"}, {"rope": 2}]
        )
    waits = [_mapped(dag, index, 2).wait for index in (0, 1)]
    assert [loads(wait.kwargs) for wait in waits if wait is not None] == [{"rope": "2030-01-02 0"}, {"rope": 2}]
    assert Paces.made == []
