"""The decided slots of a DAG that have neither a run nor a recorded reason: planning has lost them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import takewhile

import msgspec

from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import render, say
from gnomon.model.slots import PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.queries.report.explanations.skipped_slots import parse_instant
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.registry import build
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, event_log, upstream_dags
from gnomon.storage.store.parsed_files import dag_versions

REASONS_MAX = 100_000
"""The newest rows of the audit log about skipped slots, and about deleted runs, of a DAG that are read."""


def find_audit_obstacle(dag: DagRecord) -> str | None:
    """Why no slot of the DAG can be judged; None when slots can be."""
    ref = dag.spec.timetable
    if ref.is_continuous:
        return render(say("timetable_follows_its_runs"))
    if ref.builtin and isinstance(build(ref), DeltaTimetable):
        return render(say("steps_count_from_last_run"))
    return None


def find_audit_bounds(tx: Transaction, dag: DagRecord, since: Instant) -> tuple[Instant, Instant]:
    """The time in which slots can be judged: since `since` and since the DAG has had its present schedule, up to the last decided slot."""
    if not dag.spec.timetable.can_be_scheduled or not dag.active or dag.cursor is None:
        return since, since
    start = since if dag.spec.start_at is None else max(since, dag.spec.start_at)
    versions = dag_versions.list_versions(tx, dag.dag_pk)
    if dag.live_at is not None and not versions[0].is_newest:  # an earlier version is back, nobody knows since when
        start = max(start, dag.live_at)
    same = takewhile(lambda version: _schedule_of(version.spec) == _schedule_of(dag.spec), versions)
    return max([start, *(version.created_at for version in list(same)[-1:])]), dag.cursor.run_after + 1


def find_unexplained(tx: Transaction, dag: DagRecord, slots: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Those of these slots, in order, that planning has passed and that have neither a run nor a reason."""
    cursor = dag.cursor
    decided = [] if cursor is None else [slot for slot in slots if slot.run_after <= cursor.run_after]
    with_run = upstream_dags.list_runs_of_slots(tx, dag.dag_pk, [slot.run_after for slot in decided])
    remaining = [slot for slot in decided if slot.run_after not in with_run]
    if not remaining:
        return []
    ranges, texts = _read_reasons(tx, dag.dag_pk)
    return [
        slot
        for slot in remaining
        if not _is_in(ranges, slot.run_after)
        and not any(text in texts for text in (iso(slot.run_after), iso(slot.logical_at)))
        and (slot.logical_at is None or dag_runs.find_slot_holder(tx, dag.dag_pk, str(slot.logical_at)) is None)
    ]


def _schedule_of(spec: DagSpec) -> tuple[object, ...]:
    return spec.timetable, spec.start_at, spec.end_at


def _read_reasons(tx: Transaction, dag_pk: int) -> tuple[list[tuple[Instant, Instant]], set[str | None]]:
    """The ranges of skipped slots, disjoint and in order, and the times of slots that another run had or whose run was deleted, as texts."""
    ranges, texts = [], set[str | None]()
    for event in event_log.list_skipped_slots(tx, dag_pk, REASONS_MAX):
        if event.kind == "slot_held":
            texts.update(_list_times(event.body))
        else:
            skipped = msgspec.json.decode(event.body, type=SkippedSlots)
            ranges.append((skipped.first, skipped.until))
    for event in event_log.list_deleted_runs(tx, dag_pk, REASONS_MAX):
        texts.update(_list_times(event.body))
        at = parse_instant(event.body.partition(" (before: ")[0])
        texts.add(iso(at))
    return _merge(ranges), texts


def _list_times(body: str) -> Iterable[str | None]:
    """The times in the text of a row, each as `iso` writes it."""
    for word in body.replace(")", " ").replace(";", " ").split():
        if word[:1].isdigit() and "T" in word:
            try:
                yield iso(to_instant(datetime.fromisoformat(word)))
            except ValueError:
                continue


def _merge(ranges: Iterable[tuple[Instant, Instant]]) -> list[tuple[Instant, Instant]]:
    merged: list[tuple[Instant, Instant]] = []
    for first, until in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(until, merged[-1][1])
        else:
            merged.append((first, until))
    return merged


def _is_in(ranges: Sequence[tuple[Instant, Instant]], at: Instant) -> bool:
    number = bisect_right(ranges, (at, 2**63)) - 1
    return number >= 0 and ranges[number][0] <= at < ranges[number][1]
