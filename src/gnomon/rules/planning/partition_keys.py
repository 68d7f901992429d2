"""The partition key of a run by hand: whether the DAG takes one, and the date that it stands for. Pure."""

from __future__ import annotations

from gnomon.model.errors.authoring import InvalidPartitionKeyError
from gnomon.model.errors.product import UserError
from gnomon.model.ids import find_partition_key_fault
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec
from gnomon.rules.partitions.part_codec import ClassFinder, decode_part, list_author_classes
from gnomon.rules.timetables.partition_timetables import CronPartitionTimetable
from gnomon.rules.timetables.registry import BUILTINS, build
from gnomon.rules.timetables.stored_words import summarize_timetable


class PartitionKeyRefused(UserError):
    """A run cannot have this partition key; the text says why, and what to do."""


def resolve_partition_date(dag: DagSpec, key: str | None, find_class: ClassFinder | None = None) -> Instant | None:
    """The start of the period that the key names; None when there is no key or it names none. Raises PartitionKeyRefused.

    A key of a timetable of an author is not resolved, and one of a mapper of an author only with `find_class`: their code does not run here.
    """
    if key is None:
        return None
    ref = dag.timetable
    if not ref.has_partitions:
        raise PartitionKeyRefused(say("dag_has_no_partitions", dag=dag.dag_id))
    fault = find_partition_key_fault(key)
    if fault is not None:
        raise PartitionKeyRefused(say("partition_key_is_wrong", fault=fault))
    if dag.partition_rules:
        return _resolve_by_mappers(dag, key, find_class)
    if ref.builtin_name not in BUILTINS:
        return None
    try:
        date = build(ref).resolve_partition_date(key)
    except InvalidPartitionKeyError as error:
        raise PartitionKeyRefused(
            say("partition_key_is_refused", error=str(error), dag=dag.dag_id, schedule=summarize_timetable(ref))
        ) from None
    return None if date is None else to_instant(date)


def find_slot_partition(dag: DagSpec, run_after: Instant) -> tuple[str | None, Instant | None]:
    """(key, date) of the partition of the slot that is due then; (None, None) for a DAG whose slots have no partitions."""
    ref = dag.timetable
    timetable = build(ref) if ref.has_partitions and ref.builtin_name in BUILTINS else None
    info = timetable.make_info(to_datetime(run_after)) if isinstance(timetable, CronPartitionTimetable) else None
    if info is None or info.partition_date is None:
        return None, None
    return info.partition_key, to_instant(info.partition_date)


def _resolve_by_mappers(dag: DagSpec, key: str, find_class: ClassFinder | None) -> Instant | None:
    """The date on which the mappers of the DAG's assets agree. Raises PartitionKeyRefused for a key that one of them cannot have made."""
    dates = set()
    for rule in dag.partition_rules:
        if find_class is None and list_author_classes(rule.mapper):
            return None
        try:
            date = decode_part(rule.mapper, find_class).to_partition_date(key)
        except ValueError as error:
            raise PartitionKeyRefused(
                say("mapper_makes_no_such_key", asset=rule.leaf.name, dag=dag.dag_id, key=key, error=str(error))
            ) from None
        if date is not None:
            dates.add(to_instant(date))
    return dates.pop() if len(dates) == 1 else None
