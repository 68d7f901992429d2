"""The waits of a run for other DAGs: one condition for each dependency, and below it one for each upstream slot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.model.instants import Instant, add_seconds
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, WaitState
from gnomon.model.sentences import Command, Sentence, quote, say
from gnomon.model.spec import collect_edges
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.upstream_edges import Edge
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.queries.report.explanations.ended_conditions import clause
from gnomon.queries.report.explanations.explanation import Explanation
from gnomon.queries.report.explanations.upstream_slot_status import (
    describe_deleted_upstream,
    find_upstream,
    list_later_clears,
    list_slot_status,
)
from gnomon.queries.report.listings.run_list import find_spec_of_run
from gnomon.queries.report.waits.edge_wording import describe_closed_edge, describe_edge, rule_words_of
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import run_waits

SLOTS_MAX = 20
"""The most slots of a dependency that are conditions of their own."""
_SHOWN = 5
"""The most open slots of a dependency with a sentence each; the others are counted. Also the most times that a sentence names."""
_WAITING_TYPES = (DagRunType.SCHEDULED, DagRunType.BACKFILL)


def list_upstreams(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[str]:
    """The DAGs that the run, or a task of it, waits for or has waited for."""
    return sorted({edge.dependency.dag_id for edge, _ in _read_edges(tx, dag, run)})


def add_upstreams(
    explanation: Explanation,
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    now: Instant,
    task_id: str | None = None,
) -> None:
    """Add the dependencies of the run while it is queued, and those of its tasks while it is running; `task_id`: without those of other tasks."""
    for edge, waits in _read_edges(tx, dag, run):
        if task_id is not None and edge.task_id not in (None, task_id):
            continue
        if waits and _is_wait_over(edge, waits):
            since = max(wait.since for wait in waits)
            explanation.add(WaitCondition("upstream_dag", True, _describe_outcome(dag, edge, waits), since))
        elif run.state is (DagRunState.QUEUED if edge.task_id is None else DagRunState.RUNNING):
            _add_open(explanation, tx, dag, run, edge, waits, now)


def describe_past_waits(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None) -> list[Sentence]:
    """Sentences on the outcome of the run's waits (with `task_id`, of that task's), and on upstream runs cleared since it started."""
    sentences: list[Sentence] = []
    for edge, waits in _read_edges(tx, dag, run):
        if waits and edge.task_id == task_id and (run.ended_at is not None or _is_wait_over(edge, waits)):
            sentences.append(_describe_outcome(dag, edge, waits))
            sentences += list_later_clears(tx, dag, run, edge, waits)
    return sentences


def _read_edges(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[tuple[Edge, list[RunWait]]]:
    """The dependencies that apply to the run, each with its stored waits; a manual run has none."""
    if run.run_type not in _WAITING_TYPES:
        return []
    waits = run_waits.load_run_waits(tx, [run.run_pk]).get(run.run_pk, [])
    spec = dag.spec if run.state is DagRunState.QUEUED else find_spec_of_run(tx, dag, run)
    return [(edge, [wait for wait in waits if wait.edge_no == edge.number]) for edge in collect_edges(spec)]


def _is_wait_over(edge: Edge, waits: Sequence[RunWait]) -> bool:
    """True when nothing of the dependency is waited for any more."""
    met = edge.dependency.take == "any" and any(wait.state is WaitState.MET for wait in waits)
    return bool(waits) and (met or not any(wait.state.is_open for wait in waits))


def _add_open(
    explanation: Explanation,
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    edge: Edge,
    waits: Sequence[RunWait],
    now: Instant,
) -> None:
    """Add an open dependency, with a line for each slot below its sentence, and the command that ends the wait."""
    open_waits = [wait for wait in waits if wait.state.is_open]
    up = find_upstream(tx, edge)
    slots = _list_open_slots(tx, up, edge, open_waits[:SLOTS_MAX], now)
    closed = _list_closed_slots([wait for wait in waits if not wait.state.is_open])
    since = min((wait.since for wait in open_waits), default=run.queued_at)
    release = ReleaseTarget(ReleaseAct.RELEASE_RUN, dag.dag_id, run.run_id, upstream_dag_id=edge.dependency.dag_id)
    children = (*(slot for of_wait in slots for slot in of_wait), *closed)
    wait = WaitCondition(
        "upstream_dag", False, _describe_start(dag, run, edge, waits), since, release if waits else None, children
    )
    explanation.add(wait)
    if not waits:
        return
    shown = [slot.sentence for of_wait in slots[:_SHOWN] for slot in of_wait]
    more = len(open_waits) - _SHOWN
    lines = shown if up is None else [*shown, *describe_deleted_upstream(up)]
    lines += [say("more_slots_are_not_done", count=more)] if more > 0 else []
    lines += [slot.sentence for slot in closed]
    command = Command("runs release", (dag.dag_id, run.run_id), ("--from", edge.dependency.dag_id))
    explanation.note(*(say("indented", why=line) for line in (*lines, say("to_stop_waiting", command=command))))


def _list_open_slots(
    tx: Transaction, up: DagRecord | None, edge: Edge, waits: Sequence[RunWait], now: Instant
) -> list[list[WaitCondition]]:
    """By open wait, the conditions of its slot. Waits that know no slot yet are said once."""
    if up is None or all(wait.up_at == NO_SLOT for wait in waits):
        waits = waits[:1]
    return [
        [
            WaitCondition("upstream_slot", False, status.sentence, wait.since, status.release)
            for status in list_slot_status(tx, up, edge, wait, now)
        ]
        for wait in waits
    ]


def _describe_start(dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait]) -> Sentence:
    """A sentence on an open dependency: what waits for what, by which rule, since when, and until when."""
    described = describe_edge(dag.dag_id, edge)
    if not waits:
        return say("edge_is_looked_up", edge=described, stored=clause("because", run.reason))
    rule = None
    if waits[0].up_at != NO_SLOT:
        words = rule_words_of(waits[0].rule)
        rule = say("by_rule", rule_name=words.name, meaning=words.meaning)
    since = min(wait.since for wait in waits if wait.state.is_open)
    return say("edge_waits_since", edge=described, rule=rule, since=since, timeout=_describe_max_wait(edge, run))


def _describe_max_wait(edge: Edge, run: RunRecord) -> Sentence | None:
    limit_s = edge.dependency.max_wait_s
    since = run.queued_at if edge.task_id is None else run.started_at
    if limit_s is None or since is None:
        return None
    return say("fails_if_wait_lasts", at=add_seconds(max(since, run.run_after), limit_s))


def _list_closed_slots(waits: Sequence[RunWait]) -> list[WaitCondition]:
    """The slots of a dependency that are no longer waited for; slots in the same state are one condition."""
    by_outcome: dict[tuple[str, Sentence | None], list[RunWait]] = {}
    for wait in sorted(waits, key=lambda wait: wait.state is not WaitState.MET):
        if wait.state is WaitState.MET and wait.up_at != NO_SLOT:
            by_outcome.setdefault(("slot_is_done", None), []).append(wait)
        elif wait.state in _STATE_CODES:
            key = (_STATE_CODES[wait.state], clause("in_brackets", wait.note))
            by_outcome.setdefault(key, []).append(wait)
    return [
        WaitCondition(
            "upstream_slot",
            True,
            say(code, slots_named=_name_slots(same), stored=note),
            max(wait.since for wait in same),
        )
        for (code, note), same in by_outcome.items()
    ][: _SHOWN + 1]


def _describe_outcome(dag: DagRecord, edge: Edge, waits: Sequence[RunWait]) -> Sentence:
    """A sentence on how a dependency ended."""
    waited = describe_closed_edge(dag.dag_id, edge)
    released = next((wait for wait in waits if wait.state is WaitState.RELEASED), None)
    if released is not None:
        why = say("released") if not released.note else quote(released.note)
        return say("edge_was_released", edge=waited, why=why, at=released.since)
    if all(wait.up_at == NO_SLOT for wait in waits):
        return say("edge_had_no_slot", edge=waited)
    outcomes = tuple(slot.sentence for slot in _list_closed_slots(waits)) or (
        say("slot_is_not_done", slots_named=_name_slots(waits)),
    )
    last_change = max(wait.since for wait in waits)
    rule_name = rule_words_of(waits[0].rule).name
    return say("edge_ended", edge=waited, rule_name=rule_name, clauses=outcomes, at=last_change)


def _name_slots(waits: Iterable[RunWait]) -> Sentence:
    slots = sorted(wait.up_at for wait in waits)
    if len(slots) == 1:
        return say("one_slot", at=slots[0])
    if len(slots) <= _SHOWN:
        return say("each_of_slots", instants=tuple(say("at_slot", at=slot) for slot in slots))
    return say("all_slots", total=len(slots), since=slots[0], until=slots[-1])


_STATE_CODES = {
    WaitState.BAD: "slot_failed",
    WaitState.MISSED: "slot_was_skipped",
    WaitState.TOLERATED: "slot_failed_and_may",
    WaitState.ABSENT: "slot_is_absent",
    WaitState.RELEASED: "slot_was_released",
    WaitState.CLOSED: "slot_is_closed",
}
