"""Whatever the process of an attempt reports becomes a result that the engine and both databases can hold."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
from tests.hostile_messages import encode_json, vary_struct

from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.assets import AssetEmission, AssetKey
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, XComItem
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.model.instants import EARLIEST, LATEST
from gnomon.model.result_checks import (
    CHECKS,
    IDENTITY,
    OUTCOMES,
    check_deferral_result,
    check_result,
    confirm_identity,
    find_watcher_event_fault,
)
from gnomon.model.storable_text import find_unstorable

QUESTION = HITLRequest(
    subject="Go?",
    options=("yes", "no"),
    body="Today",
    defaults=("no",),
    params={"n": {"value": 1}},
    assigned_users=(HITLRespondent("u", "User"),),
)
FULL = AttemptResult(
    attempt_id="a",
    group_no=3,
    run_pk=1,
    task_no=0,
    outcome="success",
    retry_delay_s=1.0,
    started_at=1,
    ended_at=2,
    reason="r",
    exit_code=0,
    fresh_reason="f",
    xcoms=(XComItem(key="k", value='{"n": 1}'),),
    skip_task_ids=("x",),
    resume_at=3,
    return_length=1,
    rendered_map_index="m",
    rendered_fields='{"f": "v"}',
    wait=Deferral(
        classpath="a.B",
        kwargs='{"n": 1}',
        next_method="go",
        next_kwargs="{}",
        timeout_s=1.0,
        queue="q",
        due_at=5,
        due_in_s=1.0,
        hitl=QUESTION,
    ),
    asset_events=(AssetEmission(asset=AssetKey("n", "u://x"), extra={"n": 1}, aliases=("al",), partition_key="p"),),
)
ENDED = DeferralResult(outcome="event", payload='{"n": 1}', reason="r", traceback="t", xcoms={"k": "1"})


def decode_all(message: msgspec.Struct) -> list[tuple[str, Any]]:
    """Each variant that can be decoded at all, in both formats."""
    kind: Any = type(message)
    found = []
    for is_json in (True, False):
        for path, plain in vary_struct(message, is_json=is_json):
            try:
                found.append(
                    (
                        path,
                        msgspec.json.decode(encode_json(plain), type=kind)
                        if is_json
                        else msgspec.msgpack.decode(msgspec.msgpack.encode(plain), type=kind),
                    )
                )
            except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
                continue
    return found


def test_each_field_of_a_result_has_a_check() -> None:
    for kind, checks in CHECKS.items():
        assert set(checks) == set(kind.__struct_fields__), kind


def test_each_value_of_each_field_becomes_a_result_that_can_be_stored() -> None:
    variants = [(path, result) for path, result in decode_all(FULL) if path not in IDENTITY]
    assert len(variants) > 500
    for path, result in variants:
        checked = check_result(result, reads_values=True)
        assert check_result(checked, reads_values=True) is checked, path
        assert_storable(path, checked)
        if checked.outcome != result.outcome:
            assert (
                path.split(".")[0] in (checked.reason or "")
                or "XCom" in (checked.reason or "")
                or "extra" in (checked.reason or "")
            ), (path, checked.reason)


def assert_storable(path: str, result: AttemptResult) -> None:
    msgspec.json.encode(result)
    assert result.outcome in OUTCOMES, path
    for at in (result.started_at, result.ended_at, result.resume_at):
        assert at is None or EARLIEST <= at <= LATEST, path
    assert result.exit_code is None or -(2**31) <= result.exit_code < 2**31, path
    for text in (
        result.reason,
        result.fresh_reason,
        result.rendered_fields,
        *result.skip_task_ids,
        *(item.key for item in result.xcoms),
    ):
        assert text is None or find_unstorable(text) is None, path
    for item in result.xcoms:
        json.loads(item.value)
    for event in result.asset_events or ():
        json.dumps(event.extra, allow_nan=False)
    if result.wait is not None and result.wait.hitl is not None:
        question = result.wait.hitl
        assert find_unstorable(f"{question.subject} ({' | '.join(question.options)})") is None, path


def test_a_good_result_is_the_same_object() -> None:
    assert check_result(FULL, reads_values=True) is FULL


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"started_at": 2**70}, "started_at"),
        ({"started_at": -(2**63)}, "started_at"),
        ({"ended_at": 12_600_000_000_000_000_000}, "ended_at"),
        ({"exit_code": 2**63}, "exit_code"),
        ({"xcoms": (XComItem(key="a\0b", value="1"),)}, "key"),
        ({"xcoms": (XComItem(key="k", value="not JSON"),)}, "XCom 'k' is not JSON"),
        ({"xcoms": (XComItem(key="k", value="[NaN]"),)}, "XCom 'k' is not JSON"),
        ({"rendered_fields": "[1]"}, "rendered_fields"),
        ({"outcome": "won"}, "'won'"),
        ({"retry_delay_s": float("nan")}, "retry_delay_s"),
        ({"return_length": 2**31}, "return_length"),
        ({"skip_task_ids": ("a\0",)}, "skip_task_ids"),
        ({"wait": Deferral(classpath="a.B", queue="q\0")}, "wait.queue"),
        ({"wait": Deferral(classpath="a.B", timeout_s=float("inf"))}, "wait.timeout_s"),
        ({"wait": Deferral(classpath="a.B", hitl=HITLRequest(subject="s", options=("y\0",)))}, "wait.hitl.options"),
    ],
)
def test_a_value_that_cannot_be_stored_fails_the_attempt_and_names_the_field(
    fields: dict[str, Any], named: str
) -> None:
    checked = check_result(msgspec.structs.replace(FULL, **fields), reads_values=True)
    assert checked.outcome == "failed" and checked.retryable
    assert named in (checked.reason or "")


def test_a_null_character_in_a_question_is_shown_as_an_escape() -> None:
    result = msgspec.structs.replace(
        FULL,
        outcome="awaiting_input",
        wait=Deferral(classpath="a.B", hitl=HITLRequest(subject="a\0b", body="c\0", options=("y",))),
    )
    checked = check_result(result)
    assert checked.outcome == "awaiting_input" and checked.wait is not None and checked.wait.hitl is not None
    assert (checked.wait.hitl.subject, checked.wait.hitl.body) == ("a\\x00b", "c\\x00")


def test_a_result_that_names_another_attempt_fails_its_own() -> None:
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    attempt = Attempt(attempt_id="a", group_no=3, epoch=1, run=run, task_id="t", task_no=0, file="/d.py")
    assert confirm_identity(FULL, attempt) is FULL
    for name, value in {"attempt_id": "b", "group_no": 4, "run_pk": 2, "task_no": 1, "map_index": 7}.items():
        other = confirm_identity(msgspec.structs.replace(FULL, **{name: value}), attempt)
        assert (other.attempt_id, other.group_no, other.run_pk, other.task_no, other.map_index, other.outcome) == (
            "a",
            3,
            1,
            0,
            -1,
            "failed",
        ), name


def test_each_value_of_each_field_of_the_end_of_a_trigger_can_be_stored() -> None:
    for path, fired in decode_all(ENDED):
        checked = check_deferral_result(fired)
        msgspec.json.encode(checked)
        json.loads(checked.payload)
        assert all(
            find_unstorable(key) is None and json.loads(value) is not ... for key, value in checked.xcoms.items()
        ), path
        assert checked.reason is None or find_unstorable(checked.reason) is None, path


def test_each_value_of_each_field_of_an_event_of_a_watcher_is_refused_or_can_be_stored() -> None:
    event = WatcherEvent(asset_trigger_pk=1, uid="u", payload="1", identity="i", assets=(("n", "u"),))
    for path, found in decode_all(event):
        if find_watcher_event_fault(found) is None:
            json.loads(found.payload)
            assert (
                -(2**63) <= found.asset_trigger_pk < 2**63
                and find_unstorable(found.uid + found.identity + "".join(map("".join, found.assets))) is None
            ), path


def test_all_structs_inside_a_result_have_checks() -> None:
    def structs_of(annotation: Any) -> set[type]:
        inner = set().union(*map(structs_of, get_args(annotation))) if get_args(annotation) else set()
        return inner | (
            {annotation} if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct) else set()
        )

    reached, todo = set(), [AttemptResult]
    while todo:
        kind = todo.pop()
        reached.add(kind)
        todo += [
            inner for field in msgspec.structs.fields(kind) for inner in structs_of(field.type) if inner not in reached
        ]
    assert reached == set(CHECKS)
