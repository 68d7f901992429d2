"""The process of author timetables can send any bytes: an answer that cannot be read or stored is an error of its DAG."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from gnomon.author_code.timetable_host import TimetableResponse, check_answer
from gnomon.model.instance_mutation import MutationAnswers
from gnomon.rules.assets.leaf_mappers import PartitionAnswers
from gnomon.rules.dependencies.upstream_query import UpstreamAnswer
from gnomon.rules.planning import Plan
from gnomon.rules.planning.backfill_slots import BackfillSlots

KINDS = (Plan, BackfillSlots, UpstreamAnswer, MutationAnswers, PartitionAnswers)
UNREADABLE = (b"", b"\xc1", b"\xa2\xff\xfe", b"\x91" * 100_000, b"\x01", b"\xa4text", b"\x80")
RUN = {"run_id": "r", "run_after": 1, "interval_start": 1, "interval_end": 2, "logical_at": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_that_are_no_answer_are_an_error(kind: Any) -> None:
    for value in UNREADABLE:
        checked = check_answer(TimetableResponse(number=1, value=value), kind)
        if checked.error is None:
            msgspec.msgpack.decode(checked.value, type=kind)
        else:
            assert "cannot be used" in checked.error


@pytest.mark.parametrize(
    ("change", "named"),
    [({"run_id": "a\0b"}, "run_id"), ({"run_after": 2**63 - 1}, "run_after"), ({"run_after": -(2**63)}, "run_after")],
)
def test_a_run_that_cannot_be_stored_is_an_error_that_names_the_field(change: dict[str, Any], named: str) -> None:
    plan = {"runs": [{**RUN, **change}], "cursor": None, "next_run": None}
    checked = check_answer(TimetableResponse(number=1, value=msgspec.msgpack.encode(plan)), Plan)
    assert named in (checked.error or "")


def test_a_good_answer_is_the_same_object() -> None:
    answer = TimetableResponse(
        number=1, value=msgspec.msgpack.encode({"runs": [RUN], "cursor": None, "next_run": None})
    )
    assert check_answer(answer, Plan) is answer


def test_an_error_with_a_null_character_is_escaped() -> None:
    assert check_answer(TimetableResponse(number=1, error="a\0b"), Plan).error == "a\\x00b"
