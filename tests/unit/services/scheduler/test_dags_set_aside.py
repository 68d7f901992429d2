"""A DAG whose own state cannot be committed, computed or read is set aside alone, says so, and returns when it is cured."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.databases import BOTH
from tests.unit.services.scheduler.poisoned import BIG, World, find_neighbour, open_world

from gnomon.model.ids import group_of
from gnomon.model.run_callbacks import DeadlineSpec
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine import step as engine_step
from gnomon.rules.engine.lifecycle import deadlines
from gnomon.rules.engine.step_context import StepContext
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler import planner
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable, NullTimetable

LONG = Play(run_s=10_000)
SAME_GROUP = find_neighbour("bad")


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with open_world(request.param, tmp_path) as made:
        yield made


def build(dag_id: str, **options: Any) -> DagSpec:
    return DagSpec(
        **{
            "dag_id": dag_id,
            "timetable": reference(NullTimetable()),
            "tasks": (TaskSpec(task_id="t"),),
            "paused_upon_creation": False,
            **options,
        }
    )


def execute(world: World, text: str) -> None:
    """A statement that no part of Gnomon executes: damage."""
    with world.db.write() as tx:
        raw(tx, text)


def raw(tx: Transaction, text: str) -> None:
    tx._connection.execute_raw(text)
    tx.flush()


def error_of(world: World, dag_id: str) -> str | None:
    with world.db.read() as tx:
        return next(
            (row[14] for row in tx.all("group_state.dags_of_groups", groups=list(range(64))) if row[1] == dag_id), None
        )


ENDLESS = DeadlineSpec(reference="queued_at", interval_s=1.0)


@pytest.fixture
def unstorable_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an error of the engine would: the instants of deadlines are no 64-bit integers."""
    monkeypatch.setattr(deadlines, "add_seconds", lambda *_: BIG)


@pytest.mark.usefixtures("unstorable_deadlines")
def test_a_deadline_that_cannot_be_stored_sets_its_dag_aside_and_no_other(world: World) -> None:
    world.deployment.add_dags([build("bad", deadlines=(ENDLESS,)), build(SAME_GROUP), build("other")])
    for dag_id in ("bad", SAME_GROUP, "other"):
        world.trigger(dag_id)
    world.wait(4)
    assert world.states("bad", SAME_GROUP, "other") == ["queued", "success", "success"]
    error = error_of(world, "bad") or ""
    assert "set aside" in error and "due_at" in error and "64-bit" in error
    (row,) = [row for row in world.quarantined() if row.kind == "dag"]
    assert (row.dag_id, row.group_no, row.reason) == ("bad", group_of("bad"), error)


@pytest.mark.usefixtures("unstorable_deadlines")
def test_a_dag_that_was_set_aside_returns_with_a_version_that_is_cured(world: World) -> None:
    world.deployment.add_dags([build("bad", deadlines=(ENDLESS,))])
    world.trigger("bad")
    world.wait(4)
    assert world.states("bad") == ["queued"]
    world.deployment.add_dags([build("bad")], version=2)
    world.wait(4)
    assert world.states("bad") == ["success"]
    assert error_of(world, "bad") is None
    assert [row.kind for row in world.quarantined()] in ([], ["run_created"])


@pytest.mark.usefixtures("unstorable_deadlines")
def test_what_is_set_aside_is_found_by_a_new_scheduler_which_runs_everything_else(world: World) -> None:
    world.deployment.add_dags([build("bad", deadlines=(ENDLESS,)), build(SAME_GROUP)])
    world.trigger("bad")
    world.wait(4)
    world.deployment.kill_scheduler()
    world.wait(10)
    world.trigger(SAME_GROUP)
    world.wait(4)
    assert world.states("bad", SAME_GROUP) == ["queued", "success"]
    assert [row.dag_id for row in world.quarantined() if row.kind == "dag"] == ["bad"]
    world.deployment.kill_scheduler()
    world.deployment.add_dags([build("bad")], version=2)
    world.wait(20)
    assert world.states("bad") == ["success"] and error_of(world, "bad") is None
    assert not [row for row in world.quarantined() if row.kind == "dag"]


DAMAGE = {
    "a state that no release knows": "UPDATE task_instance SET factor_lengths = 'no json' WHERE run_pk = {run_pk}",
    "a spec that cannot be decoded": "UPDATE dag_version SET spec = {bytes} WHERE dag_pk = {dag_pk}",
    "a cursor that is no JSON": "UPDATE dag SET cursor = 'no json' WHERE dag_pk = {dag_pk}",
    "the conf of a run that is no JSON": "UPDATE dag_run SET conf = 'no json' WHERE run_pk = {run_pk}",
    "overrides that are no JSON": "UPDATE task_instance SET overrides = '[' WHERE run_pk = {run_pk}",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_stored_row_that_cannot_be_read_sets_its_dag_aside_and_its_group_is_loaded(world: World, name: str) -> None:
    world.add("bad", SAME_GROUP)
    world.plays["bad"] = world.plays[SAME_GROUP] = LONG
    world.trigger("bad")
    world.trigger(SAME_GROUP)
    world.wait(3)
    run, bytes_text = world.run("bad"), "X'00'" if world.db.dialect == "sqlite" else "'\\x00'::bytea"
    world.deployment.kill_scheduler()
    execute(world, DAMAGE[name].format(run_pk=run.run_pk, dag_pk=run.dag_pk, bytes=bytes_text))
    world.wait(8)
    world.send_result(SAME_GROUP)
    world.wait(3)
    assert world.states(SAME_GROUP) == ["success"]
    assert "cannot be read" in (error_of(world, "bad") or "")
    assert [row.dag_id for row in world.quarantined()] == ["bad"]
    assert "bad" in [live.attempt.run.dag_id for live in world.deployment.workers[0].live.values()], (
        "its attempt goes on"
    )


def test_mail_about_a_dag_that_is_set_aside_waits_for_it_and_is_applied_when_it_returns(world: World) -> None:
    world.add("bad")
    world.plays["bad"] = LONG
    world.trigger("bad")
    world.wait(3)
    run = world.run("bad")
    world.deployment.kill_scheduler()
    execute(world, f"UPDATE dag SET cursor = 'no json' WHERE dag_pk = {run.dag_pk}")
    world.wait(8)
    world.send_result("bad")
    request = world.request("bad", "mark", run_pk=run.run_pk, state="failed", by="ann")
    world.wait(3)
    assert not world.mail()
    assert sorted(row.kind for row in world.quarantined()) == ["dag", "result"]
    state, answer = world.answer(request)
    assert state == "refused" and "set aside" in (answer or "")
    execute(world, f"UPDATE dag SET cursor = NULL WHERE dag_pk = {run.dag_pk}")
    world.wait(100)
    assert world.states("bad") == ["success"]
    assert not world.quarantined() and not world.mail() and error_of(world, "bad") is None


def test_a_result_that_a_worker_holds_for_a_dag_that_is_set_aside_is_applied_when_it_returns(world: World) -> None:
    world.add("bad")
    world.plays["bad"] = Play(run_s=20)
    world.trigger("bad")
    world.wait(3)
    run = world.run("bad")
    world.deployment.kill_scheduler()
    execute(world, f"UPDATE dag SET cursor = 'no json' WHERE dag_pk = {run.dag_pk}")
    world.wait(40)
    assert world.states("bad") == ["running"]
    assert world.deployment.workers[0].results, "the worker keeps it"
    execute(world, f"UPDATE dag SET cursor = NULL WHERE dag_pk = {run.dag_pk}")
    world.wait(100)
    assert world.states("bad") == ["success"]


def test_a_plan_that_cannot_be_stored_is_an_error_of_its_dag_and_the_others_are_planned(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_really = planner.build_plan_change

    def build_poisoned(dag: Any, *arguments: Any) -> Any:
        change = build_really(dag, *arguments)
        if dag.record.dag_id != "bad" or not change.runs:
            return change
        return dataclasses.replace(change, runs=(msgspec.structs.replace(change.runs[0], run_after=BIG),))

    monkeypatch.setattr(planner, "build_plan_change", build_poisoned)
    minutely = reference(CronTriggerTimetable("* * * * *", timezone="UTC"))
    world.deployment.add_dags(build(dag_id, timetable=minutely) for dag_id in ("bad", SAME_GROUP))
    world.wait(130)
    error = error_of(world, "bad") or ""
    assert "cannot be stored" in error and "run_after" in error
    assert not world.quarantined()
    with world.db.read() as tx:
        assert not dag_runs.list_runs(tx, "bad") and dag_runs.list_runs(tx, SAME_GROUP)


def test_an_error_of_the_engine_without_an_event_sets_aside_the_dag_that_it_was_processing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.add("bad", SAME_GROUP)
    really = engine_step.start_queued_runs

    def start_queued(context: StepContext, dag: Any) -> None:
        if dag.record.dag_id == "bad":
            raise ZeroDivisionError("an error of ours")
        really(context, dag)

    monkeypatch.setattr(engine_step, "start_queued_runs", start_queued)
    world.trigger("bad")
    world.trigger(SAME_GROUP)
    world.wait(4)
    assert world.states("bad", SAME_GROUP) == ["queued", "success"]
    assert "an error of ours" in (error_of(world, "bad") or "")
    monkeypatch.undo()
    world.wait(100)
    assert world.states("bad") == ["success"] and error_of(world, "bad") is None
