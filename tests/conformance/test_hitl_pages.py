"""Lists of questions have the rows and the order that the rows of the questions, their runs and their task instances give, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import BOTH, new_database
from tests.keys import CIPHER

from gnomon.api.common.ordering import parse_order
from gnomon.api.v2.hitl_details import _KEY, _ORDER
from gnomon.model.hitl import HITLRequest, HITLRespondent, HITLResponse
from gnomon.model.records import Changes, HITLDetail
from gnomon.model.states import NO_STATUS_CODE, TASK_STATE_CODES, TaskInstanceState
from gnomon.storage.store import open_database
from gnomon.storage.store.pages.hitl_pages import count_hitl_details, read_hitl_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery

RUNS = 12
STATES = (TaskInstanceState.SUCCESS, TaskInstanceState.DEFERRED, TaskInstanceState.FAILED)
USERS = (HITLRespondent("2", "ann"), HITLRespondent("1", "bob"), None)


@pytest.fixture(scope="module", params=BOTH)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Runs of two DAGs, with a question of each of two tasks, some of them answered; every third run asked an earlier question too."""
    with new_database(request.param, tmp_path_factory.mktemp("questions")) as url:
        world = World(open_database(url, synchronous="OFF", cipher=CIPHER))
        for dag_id in ("up", "down"):
            world.dag(dag_id)
        changes = Changes()
        for number in range(RUNS):
            run = world.run(("up", "down")[number % 2], f"r{number * 7 % RUNS:02d}")
            for task_no in (0, 1):
                state = STATES[(number + task_no) % len(STATES)]
                map_index = -1 if number % 3 else 0
                row = task(
                    run,
                    task_no,
                    state,
                    map_index=map_index,
                    defer_seq=1 if number % 3 else 2,
                    rendered_map_index=None if map_index < 0 or number % 4 == 0 else f"i{number * 5 % 7}",
                )
                if state in (TaskInstanceState.SUCCESS, TaskInstanceState.FAILED):
                    row.started_at, row.ended_at = AT, AT + 1
                changes.tasks.append(row)
                questions = [
                    HITLDetail(
                        run.run_pk,
                        task_no,
                        map_index,
                        seq,
                        1,
                        HITLRequest(subject=f"S{number * 11 % 5}", options=("a",)),
                        AT + number * 3 % 8,
                    )
                    for seq in ((1, 2) if number % 3 == 0 else (1,))
                ]
                changes.hitl_details += questions
                if state is not TaskInstanceState.DEFERRED:
                    response = HITLResponse(
                        responded_at=AT + number % 4, chosen_options=("a",), responded_by=USERS[number % 3]
                    )
                    changes.hitl_responses.append((questions[-1].key, questions[-1].defer_seq, response))
        world.apply(changes)
        with world.db.write() as tx:
            tx._connection.execute_raw("UPDATE hitl_detail SET run_after = run_after + run_pk * 5 % 7")
            tx._connection.execute_raw("UPDATE dag_run SET run_after = run_after + run_pk * 5 % 7")
        yield world
        world.db.close()


def _read_expected(world: World) -> list[dict[str, Any]]:
    """The newest question of each task instance with all fields, from the tables."""
    with world.db.read() as tx:
        rows = raw(
            tx,
            "SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, r.dag_pk, d.dag_id, r.run_id, r.run_after, i.state, i.rendered_map_index, h.created_at, h.responded_at, "
            "h.request, h.response FROM hitl_detail AS h JOIN dag_run AS r ON r.run_pk = h.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk "
            "JOIN task_instance AS i ON i.run_pk = h.run_pk AND i.task_no = h.task_no AND i.map_index = h.map_index ORDER BY h.defer_seq",
        )
    names = (
        "run_pk",
        "task_no",
        "map_index",
        "defer_seq",
        "dag_pk",
        "dag_id",
        "run_id",
        "run_after",
        "state",
        "rendered_map_index",
        "created_at",
        "responded_at",
        "request",
        "response",
    )
    newest: dict[object, dict[str, Any]] = {row[:3]: dict(zip(names, row, strict=True)) for row in rows}
    for one in newest.values():
        one["subject"] = msgspec.json.decode(one["request"])["subject"]
        responded_by = msgspec.json.decode(one["response"] or "{}").get("responded_by") or {}
        one["responded_by_user_id"], one["responded_by_user_name"] = responded_by.get("id"), responded_by.get("name")
    return list(newest.values())


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("name", _ORDER)
def test_every_order_has_the_newest_question_of_each_task_instance_once(
    asked: World, name: str, descends: bool
) -> None:
    field, sign = _ORDER[name].name, -1 if descends else 1
    rows = sorted(
        _read_expected(asked), key=lambda one: tuple(sign * one[key] for key in ("run_pk", "task_no", "map_index"))
    )
    known = sorted((one for one in rows if one[field] is not None), key=lambda one: one[field], reverse=descends)
    expected = [*known, *(one for one in rows if one[field] is None)]
    order = parse_order([f"-{name}" if descends else name], _ORDER, "ti_id", _KEY).keys
    found = []
    with asked.db.read() as tx:
        for offset in range(0, 2 * RUNS, 7):
            page, has_more = read_hitl_page(tx, PageQuery((), order, 7, offset))
            assert has_more == (offset + 7 < 2 * RUNS)
            found += [
                (one.detail.run_pk, one.detail.task_no, one.detail.defer_seq, one.dag_id, one.run_id) for one in page
            ]
    assert found == [
        (one["run_pk"], one["task_no"], one["defer_seq"], one["dag_id"], one["run_id"]) for one in expected
    ]


@pytest.mark.parametrize("is_dense", [False, True])
@pytest.mark.parametrize("order", ["ti_id", "-run_after", "run_id", "-task_instance_state", "dag_id"])
def test_conditions_on_dags_times_and_states_select_the_same_questions_in_every_order(
    asked: World, order: str, is_dense: bool
) -> None:
    rows = _read_expected(asked)
    dag_pk = asked.read_dag("down").dag_pk
    keys = parse_order([order], _ORDER, "ti_id", _KEY).keys
    cases: list[tuple[Condition, Any]] = [
        (Condition("dag_pk", Operator.IN, [dag_pk], is_dense), lambda one: one["dag_pk"] == dag_pk),
        (Condition("dag_pk", Operator.EQUAL, dag_pk), lambda one: one["dag_pk"] == dag_pk),
        (Condition("dag_id", Operator.MATCHES, ["OW"]), lambda one: one["dag_id"] == "down"),
        (Condition("run_id", Operator.STARTS_WITH, ["r0"]), lambda one: one["run_id"] < "r1"),
        (Condition("run_after", Operator.AT_LEAST, AT + 4), lambda one: one["run_after"] >= AT + 4),
        (Condition("state", Operator.IN, [101]), lambda one: one["state"] == 101),
        (Condition("responded_at", Operator.IN, [None]), lambda one: one["responded_at"] is None),
        (Condition("created_at", Operator.LESS, AT + 4), lambda one: one["created_at"] < AT + 4),
    ]
    with asked.db.read() as tx:
        for condition, holds in cases:
            expected = {(one["run_pk"], one["task_no"], one["defer_seq"]) for one in rows if holds(one)}
            page, _ = read_hitl_page(tx, PageQuery((condition,), keys, 100))
            assert {(one.detail.run_pk, one.detail.task_no, one.detail.defer_seq) for one in page} == expected, (
                condition
            )
            assert count_hitl_details(tx, (condition,), 1000) == len(expected) == len(page)
            assert 0 < len(expected) < len(rows)


def test_a_question_of_a_run_that_does_not_exist_is_refused(asked: World) -> None:
    detail = HITLDetail(10**6, 0, -1, 1, 1, HITLRequest(subject="S", options=("a",)), AT)
    with pytest.raises(Exception, match=r"(?i)not.null constraint"):
        asked.apply(Changes(hitl_details=[detail]))


@pytest.mark.parametrize("database", BOTH)
def test_a_question_has_the_state_of_its_task_instance_after_each_change(database: str, tmp_path: Path) -> None:
    with new_database(database, tmp_path) as url:
        world = World(open_database(url, synchronous="OFF", cipher=CIPHER))
        world.dag("up")
        run = world.run("up", "r")
        question = HITLDetail(run.run_pk, 0, -1, 1, 1, HITLRequest(subject="S", options=("a",)), AT)
        world.apply(
            Changes(
                tasks=[task(run, 0, TaskInstanceState.DEFERRED, defer_seq=1), task(run, 1, TaskInstanceState.DEFERRED)],
                hitl_details=[question],
            )
        )
        for state in (TaskInstanceState.DEFERRED, TaskInstanceState.SCHEDULED, TaskInstanceState.SUCCESS, None):
            world.apply(Changes(tasks=[task(run, 0, state, defer_seq=1)]))
            code = NO_STATUS_CODE if state is None else TASK_STATE_CODES[state]
            with world.db.read() as tx:
                assert count_hitl_details(tx, (Condition("state", Operator.IN, [code]),), 10) == 1, state
                assert count_hitl_details(tx, (Condition("state", Operator.NOT_IN, [code]),), 10) == 0, state
        world.db.close()


@pytest.mark.parametrize("database", BOTH)
def test_questions_of_a_task_instance_end_with_it(database: str, tmp_path: Path) -> None:
    """A task that has become mapped: instances with map indices come in the place of the one that asked."""
    with new_database(database, tmp_path) as url:
        world = World(open_database(url, cipher=CIPHER))
        world.dag()
        run = world.run()
        asked = task(run, 0, TaskInstanceState.DEFERRED, defer_seq=1)
        questions = [
            HITLDetail(run.run_pk, task_no, -1, 1, 1, HITLRequest(subject="S", options=("a",)), AT)
            for task_no in (0, 1)
        ]
        world.apply(
            Changes(tasks=[asked, task(run, 1, TaskInstanceState.DEFERRED, defer_seq=1)], hitl_details=questions)
        )
        world.apply(Changes(tasks=[task(run, 0, map_index=0)], tasks_deleted=[questions[0].key]))
        with world.db.read() as tx:
            assert raw(tx, "SELECT task_no FROM hitl_detail") == [(1,)]
        world.db.close()
