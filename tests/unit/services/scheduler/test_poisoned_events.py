"""A value that cannot be stored fails its task: everything else of the same step is committed in the same round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import BOTH
from tests.keys import CIPHER
from tests.unit.services.scheduler.poisoned import BIG, World, find_neighbour, open_world

from gnomon.model.attempts import XComItem
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.model.ids import group_of
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine.handlers import attempt_results
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store.coordination import quarantine
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

LONG = Play(run_s=10_000)


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with open_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=["checked", "unchecked"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The engine checks each field of a result; unchecked, the commit fails, as for a value that no check knows."""
    if request.param == "unchecked":
        monkeypatch.setattr(attempt_results, "check_result", lambda result: result)
    return request.param


def start(world: World, *dag_ids: str, **options: object) -> None:
    """A run of each of these DAGs, whose only task runs."""
    world.add(*dag_ids, **options)
    for dag_id in dag_ids:
        world.plays[dag_id] = LONG
        world.trigger(dag_id)
    world.wait(3)
    assert [world.task(dag_id).state for dag_id in dag_ids] == ["running"] * len(dag_ids)


RESULTS: dict[str, tuple[dict[str, object], str]] = {
    "a start behind the calendar": ({"started_at": BIG}, "started_at"),
    "an end behind the calendar": ({"ended_at": BIG}, "ended_at"),
    "an exit code of 2**63": ({"outcome": "failed", "exit_code": 2**63}, "exit_code"),
    "a length of 2**63": (
        {"return_length": 2**63, "xcoms": (XComItem(key="return_value", value="[]"),)},
        "return_length",
    ),
    "a reschedule behind the calendar": ({"outcome": "up_for_reschedule", "resume_at": BIG}, "resume_at"),
    "a lone surrogate in the key of an XCom": ({"xcoms": (XComItem(key="\ud800", value="1"),)}, "surrogate"),
    "a lone surrogate in the value of an XCom": ({"xcoms": (XComItem(key="k", value='"\ud800"'),)}, "surrogate"),
    "a lone surrogate in rendered fields": ({"rendered_fields": '{"a": "\ud800"}'}, "surrogate"),
}
POSTGRES_RESULTS: dict[str, tuple[dict[str, object], str]] = {
    "a NUL in the key of an XCom": ({"xcoms": (XComItem(key="a\0b", value="1"),)}, "null character"),
    "a NUL in the value of an XCom": ({"xcoms": (XComItem(key="k", value='"\0"'),)}, "null character"),
    "a NUL in the class of a trigger": (
        {"outcome": "deferred", "wait": Deferral(classpath="a\0b", next_method="go_on")},
        "classpath|null character",
    ),
}


@pytest.mark.usefixtures("door")
@pytest.mark.parametrize("name", [*RESULTS, *POSTGRES_RESULTS])
def test_a_result_that_cannot_be_stored_fails_its_try_and_nothing_else_waits(world: World, name: str) -> None:
    if name in POSTGRES_RESULTS and world.db.dialect == "sqlite":
        pytest.skip("SQLite stores NUL")
    fields, words = {**RESULTS, **POSTGRES_RESULTS}[name]
    same_group, other_group = find_neighbour("bad"), "other"
    start(world, "bad", same_group, other_group)
    world.send_result(same_group)
    world.send_result("bad", **fields)
    world.send_result(other_group)
    world.tick()
    assert world.states("bad", same_group, other_group) == ["failed", "success", "success"], "all in one round"
    reason = world.task("bad").reason or ""
    assert ("cannot be stored" in reason or "is not JSON" in reason) and any(
        word in reason for word in words.split("|")
    )
    assert not world.mail() and not world.quarantined()
    world.trigger("bad", "r2")
    world.plays["bad"] = Play()
    world.wait(5)
    assert world.run("bad", "r2").state == "success", "the DAG goes on"


@pytest.mark.usefixtures("door")
def test_the_failed_try_is_retried_as_the_task_says(world: World) -> None:
    start(world, "bad", retries=1, retry_delay_s=1.0)
    world.send_result("bad", started_at=BIG)
    world.tick()
    assert world.task("bad").state == "up_for_retry"
    world.plays["bad"] = Play()
    world.wait(10)
    assert world.states("bad") == ["success"]


# ---- other kinds of events -----------------------------------------------------------------------------------------------


def test_an_entry_with_an_instant_behind_the_calendar_is_an_entry_now(world: World) -> None:
    world.add("bad", "other")
    world.plays["bad"] = Play(enter_after_s=10_000, run_s=10_000)
    world.trigger("bad")
    world.wait(3)
    attempt = world.task("bad").attempt
    world.send("bad", "attempt_entered", {"attempt_id": attempt, "at": BIG})
    world.tick()
    task = world.task("bad")
    assert (task.state, task.started_at) == ("running", world.now())
    assert not world.mail() and not world.quarantined()


@pytest.mark.parametrize("kind", ["clear", "mark", "delete"])
def test_a_request_that_cannot_be_stored_is_refused(world: World, kind: str) -> None:
    start(world, "bad", find_neighbour("bad"))
    request = world.request("bad", kind, run_pk=world.run("bad").run_pk, by="\ud800", state="failed")
    world.send_result(find_neighbour("bad"))
    world.tick()
    state, answer = world.answer(request)
    assert state == "refused" and "surrogate" in (answer or "")
    assert world.states("bad", find_neighbour("bad")) == ["running", "success"]
    assert not world.mail() and not world.quarantined()


def test_an_answer_of_a_person_that_cannot_be_stored_is_refused_and_the_task_waits_on(world: World) -> None:
    start(world, "bad", find_neighbour("bad"))
    world.send_result(
        "bad",
        outcome="awaiting_input",
        wait=Deferral(classpath="a.T", next_method="go_on", hitl=HITLRequest(subject="?", options=("yes",))),
    )
    world.tick()
    task = world.task("bad")
    request = world.request(
        "bad",
        "answer",
        run_pk=task.run_pk,
        task_no=task.task_no,
        map_index=-1,
        options=["yes"],
        params={},
        user_id="ann",
        user_name="\ud800",
        by="ann",
    )
    world.send_result(find_neighbour("bad"))
    world.tick()
    assert world.answer(request)[0] == "refused"
    assert (world.task("bad").state, world.states(find_neighbour("bad"))) == ("awaiting_input", ["success"])


def test_one_poisoned_event_of_a_triggerer_fails_its_task_and_the_others_of_its_message_go_on(world: World) -> None:
    dag_ids = ["bad", find_neighbour("bad"), find_neighbour("bad", 1)]
    start(world, *dag_ids)
    for dag_id in dag_ids:
        world.send_result(dag_id, outcome="deferred", wait=Deferral(classpath="a.T", next_method=None))
    world.tick()
    results = [
        {"outcome": "success", "xcoms": {"return_value": "no json"} if dag_id == "bad" else {"k": "1"}}
        for dag_id in dag_ids
    ]
    events = [
        [task.run_pk, task.task_no, task.map_index, task.defer_seq, result]
        for task, result in zip(map(world.task, dag_ids), results, strict=True)
    ]
    world.send("bad", "trigger", CIPHER.encrypt(json.dumps(events)))
    world.tick()
    assert world.states(*dag_ids) == ["failed", "success", "success"]
    assert "JSONDecodeError" in (world.task("bad").reason or "")
    assert not world.mail() and not world.quarantined()


def test_the_result_of_a_callback_that_cannot_be_stored_ends_the_callback(world: World) -> None:
    world.deployment.add_dags(
        [
            DagSpec(
                dag_id="bad",
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t"),),
                paused_upon_creation=False,
                run_callbacks=("run_failed",),
            )
        ]
    )
    world.plays["bad"] = Play(outcome="failed")
    world.trigger("bad")
    world.wait(1)
    world.plays["bad"] = LONG
    world.wait(3)
    (callback,) = world.callbacks()
    world.send_result_of(callback.attempt or "", "bad", callback.run_pk, ended_at=BIG)
    world.tick()
    world.wait(1)
    assert not world.callbacks() and not world.mail() and not world.quarantined()


UNREADABLE = {
    "no JSON": ("run_created", "no json"),
    "another type": ("run_created", [1, 2]),
    "a number that no key can be": ("run_created", {"run_pk": BIG}),
    "a key that is a text": ("dag_changed", {"dag_pk": "one"}),
    "an unknown kind": ("of_tomorrow", {}),
    "a result without its fields": ("result", {"result": {"attempt_id": "a"}}),
    "a result that is a list": ("result", {"result": []}),
    "deep JSON": ("asset_events", "[" * 100_000 + "]" * 100_000),
    "an encrypted result that was cut": ("result", {"sealed": CIPHER.encrypt("{}")[:-8]}),
    "events of a triggerer that are not events": ("trigger", CIPHER.encrypt('[{"run_pk": "one"}]')),
    "an update of a run that no key can be": (
        "upstream_ended",
        '[{"down_run": 99999999999999999999999, "edge_no": 1, "fact": {"at": 1, "outcome": "success"}}]',
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_mail_that_cannot_be_read_is_named_in_the_table_and_its_group_goes_on(world: World, name: str) -> None:
    kind, body = UNREADABLE[name]
    start(world, "bad")
    world.send("bad", kind, body, key="the key")
    world.send_result("bad")
    world.tick()
    assert world.states("bad") == ["success"]
    assert not world.mail()
    (row,) = world.quarantined()
    assert (row.kind, row.group_no, row.key, row.is_message) == (kind, group_of("bad"), "the key", True)
    assert row.body.decode() == (body if isinstance(body, str) else json.dumps(body))
    assert row.reason and row.error_class


def test_a_result_that_a_worker_keeps_and_that_cannot_even_be_replaced_is_named_and_acknowledged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("an error of ours")

    start(world, "bad", find_neighbour("bad"))
    monkeypatch.setattr(attempt_results, "release_attempt", fail)
    (attempt,) = [
        live.attempt for live in world.deployment.workers[0].live.values() if live.attempt.run.dag_id == "bad"
    ]
    world.deployment.workers[0].live[attempt.attempt_id].ends_at = world.now()
    world.tick()
    (row,) = world.quarantined()
    assert (row.kind, row.dag_id, row.run_id, row.task_id, row.attempt) == (
        "result",
        "bad",
        "r",
        "t",
        attempt.attempt_id,
    )
    assert "ZeroDivisionError" in row.reason and "an error of ours" in row.reason
    assert not world.deployment.workers[0].results, "the worker does not send it for ever"
    monkeypatch.undo()
    with world.db.write() as tx:
        quarantine.put_back(tx, row)
    world.wait(3)
    assert world.states("bad") == ["success"], "what was put back is applied"
    assert not world.quarantined()


# ---- many ----------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("door")
@pytest.mark.parametrize("poisoned", [{0}, {5}, {11}, {0, 11}, {3, 4, 5}, set(range(12))], ids=str)
def test_any_number_of_poisoned_results_in_any_place_costs_only_their_tasks(world: World, poisoned: set[int]) -> None:
    dag_ids = [find_neighbour("bad", number) for number in range(6)] + [f"other{number}" for number in range(6)]
    start(world, *dag_ids)
    for number, dag_id in enumerate(dag_ids):
        world.send_result(dag_id, **({"started_at": BIG} if number in poisoned else {}))
    world.tick()
    assert world.states(*dag_ids) == ["failed" if number in poisoned else "success" for number in range(12)]


@pytest.mark.usefixtures("door")
def test_a_poisoned_result_that_waits_in_the_mailbox_does_not_stop_a_new_scheduler(world: World) -> None:
    start(world, "bad", find_neighbour("bad"))
    world.deployment.kill_scheduler()
    world.send_result("bad", exit_code=2**63, outcome="failed")
    world.send_result(find_neighbour("bad"))
    world.wait(10)
    assert world.states("bad", find_neighbour("bad")) == ["failed", "success"]
