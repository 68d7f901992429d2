"""Partition mappers of authors, asked about a queue: what author code does wrong concerns one key, and the answers create the right runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from gnomon import partitions as p
from gnomon.author_code.timetable_host.partition_lookup import answer_partitions, resolve_author_partition_date
from gnomon.authoring.sdk.assets.author_mappers import build_rule
from gnomon.model.assets import AssetKey, PartitionRule, QueuedAssetEvent
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.assets.leaf_mappers import ConsumedPair, PartitionAnswers, PartitionQuestion, build_leaf_mappers
from gnomon.rules.assets.partition_progress import QueueReading, read_queue

pytestmark = pytest.mark.pure

ORDERS = AssetKey("orders", "orders")


class Moody(p.PartitionMapper):
    """Does what the key says."""

    def to_downstream(self, key: str) -> Any:
        if key == "raise":
            raise KeyError("no such region")
        answers: dict[str, Any] = {
            "number": 7,
            "numbers": [1, 2],
            "empty": [],
            "long": "x" * 300,
            "endless": itertools.count().__iter__(),
            "same": itertools.repeat("k"),
            "two": ["a", "b", "a"],
            "many": [str(n) for n in range(20)],
            "texts": (str(n) for n in itertools.count()),
        }
        return answers.get(key, key.lower())

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        if downstream_key == "nodate":
            raise LookupError("no date")
        return datetime(2026, 1, 2, tzinfo=UTC) if downstream_key == "dated" else None


class Weekdays(p.Window):
    """Monday to Friday by name."""

    def to_upstream(self, decoded_downstream: str) -> Iterator[str]:
        if decoded_downstream == "w0":
            raise ValueError("there is no week 0")
        yield from (f"{decoded_downstream}-{day}" for day in ("mo", "tu"))


class OfWeek(p.PartitionMapper):
    """`w1-mo` to `w1`."""

    def to_downstream(self, key: str) -> str:
        return key.partition("-")[0]


class Half(p.WaitPolicy):
    """Half of the keys."""

    def is_satisfied(self, matched: int, expected: int) -> bool:
        return 2 * matched >= expected

    def is_unreachable(self, expected: int) -> bool:
        return False


class TwiceAWeek(p.RollupMapper):
    """A roll-up with keys of its own."""

    def to_upstream(self, downstream_key: str) -> Any:
        return [f"{downstream_key}-mo", f"{downstream_key}-th"]


class Refusing(Moody):
    """Cannot be made again."""

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Refusing:
        raise RuntimeError("the file of regions is missing")


class Carrying(Moody):
    """Takes over other dates than those of the runs."""

    def carry_partition_date(self, source_partition_date: datetime | None) -> datetime | None:
        return datetime(1999, 1, 1, tzinfo=UTC)


def _queue(*keys: str) -> tuple[QueuedAssetEvent, ...]:
    return tuple(QueuedAssetEvent(event_pk=n, at=n, leaf=ORDERS, partition_key=key) for n, key in enumerate(keys, 1))


def _ask(
    mapper: p.PartitionMapper, *keys: str, consumed: tuple[ConsumedPair, ...] = (), max_keys: int = 10
) -> tuple[PartitionAnswers, QueueReading]:
    """The answers after a way through MessagePack, and the queue read with them."""
    rule = build_rule(ORDERS, mapper)
    question = PartitionQuestion(queue=_queue(*keys), consumed=consumed, max_keys=max_keys)
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(question), type=PartitionQuestion)
    made = answer_partitions(rules=(rule,), condition=ORDERS, question=sent, dag_file=None)
    answers = msgspec.msgpack.decode(msgspec.msgpack.encode(made), type=PartitionAnswers)
    return answers, read_queue(ORDERS, build_leaf_mappers((rule,), max_keys, answers), question.queue, set(consumed))


def _complete(reading: QueueReading) -> list[str]:
    return [partition.key for partition in reading.partitions if partition.is_complete]


def test_a_mapper_of_an_author_maps_as_it_says() -> None:
    answers, reading = _ask(Moody(), "US", "two", "two")
    assert _complete(reading) == ["us", "a", "b"] and not answers.errors and answers.changes_queue
    assert not reading.waiting and not reading.dropped
    _, reading = _ask(Moody(), "two", consumed=(ConsumedPair(1, "a"),))
    assert _complete(reading) == ["b"]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "raise",
            r"\(to_downstream for the key 'raise'\) raised KeyError: 'no such region' \(.*test_partition_lookup\.py, line \d+\); correct the class",
        ),
        ("number", r"must return a string or iterable of strings, but returned int"),
        ("numbers", r"must return an iterable of strings, but yielded int"),
        ("endless", r"must return an iterable of strings, but yielded int"),
        ("long", r"returned a key that cannot be: .*250"),
        ("same", r"yielded 100000 keys, most of them several times"),
    ],
)
def test_what_a_mapper_does_wrong_is_told_and_its_event_waits_while_others_run(key: str, words: str) -> None:
    answers, reading = _ask(Moody(), "eu", key, "US")
    assert _complete(reading) == ["eu", "us"]
    assert [event.partition_key for event in reading.waiting] == [key] and not reading.dropped
    (error,) = answers.errors
    assert error.startswith("the partition mapper Moody of asset orders (to_downstream for the key ")
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(error)


def test_no_keys_make_no_run_and_too_many_are_refused_as_by_a_built_in_mapper() -> None:
    answers, reading = _ask(Moody(), "empty", "many", "texts")
    assert not reading.partitions and not reading.waiting and not answers.errors and answers.changes_queue
    refused = "belongs to more than [scheduler] partition_mapper_max_downstream_keys=10 partitions"
    assert [reason for _, reason in reading.dropped] == [
        "",
        *(f"an event of asset orders with the partition key {key!r} {refused}" for key in ("many", "texts")),
    ]
    _, reading = _ask(Moody(max_downstream_keys=20), "many")
    assert len(_complete(reading)) == 20


def test_a_built_in_mapper_within_refuses_as_alone() -> None:
    answers, reading = _ask(p.ChainMapper(p.AllowedKeyMapper(["us"]), Moody()), "us", "mars")
    assert _complete(reading) == ["us"] and not answers.errors
    ((_, reason),) = reading.dropped
    assert reason.startswith(
        "an event of asset orders has the partition key 'mars', which ChainMapper does not map: Key 'mars' not in allowed keys"
    )


def test_windows_and_wait_policies_of_authors_count() -> None:
    weekly = p.RollupMapper(upstream_mapper=OfWeek(), window=Weekdays())
    answers, reading = _ask(weekly, "w1-mo", "w1-tu", "w2-mo", "w0-mo")
    assert _complete(reading) == ["w1"] and not reading.waiting
    assert reading.partitions[1].leaves[ORDERS].missing == ("w2-tu",)
    (zero,) = answers.errors
    assert "(to_upstream for the key 'w0') raised ValueError: there is no week 0" in zero
    _, reading = _ask(p.RollupMapper(upstream_mapper=OfWeek(), window=Weekdays(), wait_policy=Half()), "w2-mo")
    assert _complete(reading) == ["w2"]
    _, reading = _ask(TwiceAWeek(upstream_mapper=OfWeek(), window=Weekdays()), "w1-mo", "w1-tu", "w2-mo", "w2-th")
    assert _complete(reading) == ["w2"]


def test_a_run_whose_date_cannot_be_found_waits() -> None:
    answers, reading = _ask(Moody(), "dated", "nodate", "eu")
    assert _complete(reading) == ["dated", "eu"]
    assert answers.leaves[0].dates == {"dated": to_instant(datetime(2026, 1, 2, tzinfo=UTC)), "eu": None}
    assert "(to_partition_date for the key 'nodate') raised LookupError: no date" in answers.errors[0]


def test_answers_for_another_queue_create_no_run_that_they_do_not_cover() -> None:
    rule = build_rule(ORDERS, p.RollupMapper(upstream_mapper=OfWeek(), window=Weekdays()))
    question = PartitionQuestion(queue=_queue("w1-mo", "w1-tu"), consumed=(), max_keys=10)
    answers = answer_partitions(rules=(rule,), condition=ORDERS, question=question, dag_file=None)
    mappers = build_leaf_mappers((rule,), 10, answers)
    later = read_queue(ORDERS, mappers, _queue("w1-mo", "w1-tu", "w2-mo"), set())
    assert _complete(later) == ["w1"] and [event.partition_key for event in later.waiting] == ["w2-mo"]
    fewer = read_queue(ORDERS, mappers, _queue("w1-mo"), set())
    assert _complete(fewer) == []


def test_a_mapper_that_cannot_be_made_again_is_told() -> None:
    rule = PartitionRule(leaf=ORDERS, mapper=p.encode_part(Refusing()))
    question = PartitionQuestion(queue=_queue("a"), consumed=(), max_keys=10)
    with pytest.raises(
        PlanningError,
        match=r"cannot be made from what its serialize returned: RuntimeError: the file of regions is missing \(.*line \d+\)",
    ):
        answer_partitions(rules=(rule,), condition=ORDERS, question=question, dag_file=None)
    gone = PartitionRule(leaf=ORDERS, mapper={"type": "no_such_module.Mapper", "data": {}})
    with pytest.raises(PlanningError, match="there is no module 'no_such_module' here"):
        answer_partitions(rules=(gone,), condition=ORDERS, question=question, dag_file=None)


def test_dates_that_are_made_of_dates_are_refused_by_name() -> None:
    answers, _ = _ask(Carrying(), "a")
    assert "(carry_partition_date) raised TypeError: carry_partition_date returned" in answers.errors[0]


def test_the_date_of_a_manual_run_is_that_of_the_mapper() -> None:
    ref = TimetableRef(path="gnomon.PartitionedAssetTimetable", data={}, has_partitions=True)
    dag = DagSpec(dag_id="d", timetable=ref, partition_rules=(build_rule(ORDERS, Moody()),))
    assert resolve_author_partition_date(dag=dag, key="dated", dag_file=None) == to_instant(
        datetime(2026, 1, 2, tzinfo=UTC)
    )
    with pytest.raises(PlanningError, match="partition key"):
        resolve_author_partition_date(dag=dag, key="", dag_file=None)
