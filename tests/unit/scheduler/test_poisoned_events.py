"""A value that cannot be stored fails its task: everything else of the same step is committed in the same round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import BOTH
from tests.unit.scheduler.poisoned import BIG, World, find_neighbour, open_world

from gnomon.model.attempts import XComItem
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.testing import Play

LONG = Play(run_s=10_000)


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with open_world(request.param, tmp_path) as made:
        yield made


def start(world: World, *dag_ids: str, **options: object) -> None:
    """A run of each of these DAGs, whose only task runs."""
    world.add(*dag_ids, **options)
    for dag_id in dag_ids:
        world.plays[dag_id] = LONG
        world.trigger(dag_id)
    world.wait(3)
    assert [world.task(dag_id).state for dag_id in dag_ids] == ["running"] * len(dag_ids)


FOREVER_S = 86399999999999.999999
"""The seconds of `timedelta.max`."""

RESULTS: dict[str, tuple[dict[str, object], str]] = {
    "a deferral with the timeout timedelta.max": (
        {"outcome": "deferred", "wait": Deferral(classpath="a.Trigger", next_method="go_on", timeout_s=FOREVER_S)}, "timeout_at"
    ),
    "a start behind the calendar": ({"started_at": BIG}, "started_at"),
    "an end behind the calendar": ({"ended_at": BIG}, "ended_at"),
    "an exit code of 2**63": ({"outcome": "failed", "exit_code": 2**63}, "exit_code"),
    "a length of 2**63": ({"return_length": 2**63, "xcoms": (XComItem(key="return_value", value="[]"),)}, "return_length"),
    "a reschedule behind the calendar": ({"outcome": "up_for_reschedule", "resume_at": BIG}, "resume_at"),
    "a lone surrogate in the key of an XCom": ({"xcoms": (XComItem(key="\ud800", value="1"),)}, "surrogate"),
    "a lone surrogate in the value of an XCom": ({"xcoms": (XComItem(key="k", value='"\ud800"'),)}, "surrogate"),
    "a lone surrogate in rendered fields": ({"rendered_fields": '{"a": "\ud800"}'}, "surrogate"),
}
POSTGRES_RESULTS: dict[str, tuple[dict[str, object], str]] = {
    "a NUL in the key of an XCom": ({"xcoms": (XComItem(key="a\0b", value="1"),)}, "NUL"),
    "a NUL in the value of an XCom": ({"xcoms": (XComItem(key="k", value='"\0"'),)}, "NUL"),
    "a NUL in the subject of a question": (
        {"outcome": "awaiting_input", "wait": Deferral(classpath="a.T", next_method="go_on", hitl=HITLRequest(subject="a\0b", options=("yes",)))}, "NUL"
    ),
    "a NUL in the class of a trigger": ({"outcome": "deferred", "wait": Deferral(classpath="a\0b", next_method="go_on")}, "NUL"),
}


@pytest.mark.parametrize("name", [*RESULTS, *POSTGRES_RESULTS])
def test_a_result_that_cannot_be_stored_fails_its_try_and_nothing_else_waits(world: World, name: str) -> None:
    if name in POSTGRES_RESULTS and world.db.dialect == "sqlite":
        pytest.skip("SQLite stores NUL")
    fields, word = {**RESULTS, **POSTGRES_RESULTS}[name]
    same_group, other_group = find_neighbour("bad"), "other"
    start(world, "bad", same_group, other_group)
    world.send_result(same_group)
    world.send_result("bad", **fields)
    world.send_result(other_group)
    world.tick()
    assert world.states("bad", same_group, other_group) == ["failed", "success", "success"], "all in one round"
    reason = world.task("bad").reason or ""
    assert "cannot be stored" in reason and word in reason
    assert not world.mail() and not world.quarantined()
    world.trigger("bad", "r2")
    world.plays["bad"] = Play()
    world.wait(5)
    assert world.run("bad", "r2").state == "success", "the DAG goes on"


def test_the_failed_try_is_retried_as_the_task_says(world: World) -> None:
    start(world, "bad", retries=1, retry_delay_s=1.0)
    world.send_result("bad", started_at=BIG)
    world.tick()
    assert world.task("bad").state == "up_for_retry"
    world.plays["bad"] = Play()
    world.wait(10)
    assert world.states("bad") == ["success"]
