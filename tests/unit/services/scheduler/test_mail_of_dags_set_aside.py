"""Mail about a DAG that is set aside, with any value in any field, fails no round; and all that waits for the DAG returns with it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.test_mail_fuzz import list_messages
from tests.databases import BOTH
from tests.unit.services.scheduler.poisoned import BIG, World, find_neighbour, open_world

from gnomon.model.run_callbacks import DeadlineSpec
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine import step as engine_step
from gnomon.rules.engine.lifecycle import deadlines
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store.coordination import quarantine
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

SAME_GROUP = find_neighbour("bad")
DEADLINE = DeadlineSpec(reference="queued_at", interval_s=1.0)


def build(dag_id: str, *with_deadlines: DeadlineSpec) -> DagSpec:
    return DagSpec(
        dag_id=dag_id,
        timetable=reference(NullTimetable()),
        tasks=(TaskSpec(task_id="t"),),
        paused_upon_creation=False,
        deadlines=with_deadlines,
    )


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The DAG `bad` is set aside: as an error of the engine would, its deadline is no 64-bit integer."""
    monkeypatch.setattr(deadlines, "add_seconds", lambda *_: BIG)
    with open_world(request.param, tmp_path) as made:
        made.deployment.add_dags([build("bad", DEADLINE), build(SAME_GROUP)])
        made.trigger("bad")
        made.wait(4)
        assert [row.dag_id for row in made.quarantined() if row.kind == "dag"] == ["bad"]
        yield made


def test_no_message_about_a_dag_that_is_set_aside_stops_its_group(world: World) -> None:
    run = world.run("bad")
    messages = random.Random(30).sample(list_messages(run.dag_pk, run.run_pk, "x"), 200)
    for number in range(0, len(messages), 25):
        for kind, body in messages[number : number + 25]:
            world.send("bad", kind, body)
        world.trigger(SAME_GROUP, f"r{number}")
        world.wait(6)
        assert world.run(SAME_GROUP, f"r{number}").state == "success"
    assert not [row for row in world.quarantined() if row.kind == "group"]


def test_all_messages_that_wait_for_a_dag_return_with_it_in_any_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "RETURNED_MAX", 3)
    run = world.run("bad")
    for number in range(10):
        world.send_result_of(f"ended-{number}", "bad", run.run_pk)
    world.wait(2)
    assert len([row for row in world.quarantined() if row.returns_with_dag]) == 10
    world.deployment.add_dags([build("bad")], version=2)
    world.wait(4)
    assert world.states("bad") == ["success"]
    assert not [row for row in world.quarantined() if row.returns_with_dag]


@pytest.mark.parametrize("request_pk", [2**63, -1, 0, 10**40, True])
def test_a_request_whose_number_is_no_key_fails_no_round_while_its_dag_is_set_aside(
    world: World, request_pk: int
) -> None:
    run = world.run("bad")
    body = {
        "request_pk": request_pk,
        "by": "me",
        "address": None,
        "run_pk": run.run_pk,
        "dag_pk": run.dag_pk,
        "action": "clear",
        "tasks": [[0, -1]],
    }
    world.send("bad", "action", {**body, "only_failed": False, "is_newest_wanted": None})
    world.trigger(SAME_GROUP)
    world.wait(4)
    assert world.states(SAME_GROUP) == ["success"]
    assert world.mail() == []


def test_a_message_that_fails_while_a_dag_that_it_names_is_set_aside_is_quarantined_and_the_others_of_its_round_are_applied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("an error of ours")

    world.plays[SAME_GROUP] = Play(run_s=10_000)
    world.trigger(SAME_GROUP)
    world.wait(3)
    monkeypatch.setattr(engine_step, "on_upstream_update", fail)
    updates = [
        {"down_run": world.run(dag_id).run_pk, "edge_no": 1, "fact": {"at": 1, "outcome": "ok"}}
        for dag_id in ("bad", SAME_GROUP)
    ]
    request = world.request("bad", "mark", run_pk=world.run("bad").run_pk, state="failed", by="ann")
    world.send("bad", "upstream_ended", updates)
    world.send_result(SAME_GROUP)
    world.tick()
    assert world.states(SAME_GROUP) == ["success"]
    assert world.answer(request)[0] == "refused"
    assert not world.mail()
    (row,) = [row for row in world.quarantined() if row.kind != "dag"]
    assert (row.kind, row.error_class) == ("upstream_ended", "ZeroDivisionError") and "an error of ours" in row.reason
