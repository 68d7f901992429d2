"""Sentences on the waits of a run for other DAGs, open and past: each upstream slot, the rule that found it, and its state."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from gnomon.model.ids import quote_arguments
from gnomon.model.instants import Instant, add_seconds, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, WaitState
from gnomon.model.spec import collect_edges
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import Edge
from gnomon.queries.report.explanations.upstream_slot_status import describe_upstream_runs, list_later_clears
from gnomon.queries.report.listings.run_list import find_spec_of_run
from gnomon.queries.report.waits.edge_wording import describe_edge, rule_words_of
from gnomon.rules.engine.state.edge_waits import WAITING_TYPES
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import run_waits

SHOWN = 5
"""Maximum number of open slots of a dependency that are listed; the others are counted."""


def list_upstreams(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[str]:
    """The DAGs that the run, or a task of it, waits for or has waited for."""
    return sorted({edge.after.dag_id for edge, _ in read_edges(tx, dag, run)})


def describe_open_waits(
    tx: Transaction, dag: DagRecord, run: RunRecord, now: Instant, task_id: str | None = None
) -> list[str]:
    """Sentences on each open dependency: those of the run while it is queued, those of its tasks while it is running.

    `task_id`: leaves out the dependencies of other tasks.
    """
    sentences: list[str] = []
    for edge, waits in read_edges(tx, dag, run):
        is_waiting = run.state is (DagRunState.QUEUED if edge.task_id is None else DagRunState.RUNNING)
        if is_waiting and (task_id is None or edge.task_id in (None, task_id)) and not is_wait_over(edge, waits):
            sentences += _describe_open_edge(tx, dag, run, edge, waits, now)
    return sentences


def describe_past_waits(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None) -> list[str]:
    """Sentences on the outcome of the run's waits (with `task_id`, of that task's), and on upstream runs cleared since it started."""
    sentences: list[str] = []
    for edge, waits in read_edges(tx, dag, run):
        if waits and edge.task_id == task_id and (run.ended_at is not None or is_wait_over(edge, waits)):
            sentences.append(describe_wait_outcome(dag, edge, waits))
            sentences += list_later_clears(tx, dag, run, edge, waits)
    return sentences


def read_edges(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[tuple[Edge, list[RunWait]]]:
    """The dependencies that apply to the run, each with its stored waits; a manual run has none."""
    if run.run_type not in WAITING_TYPES:
        return []
    waits = run_waits.load_run_waits(tx, [run.run_pk]).get(run.run_pk, [])
    spec = dag.spec if run.state is DagRunState.QUEUED else find_spec_of_run(tx, dag, run)
    return [(edge, [wait for wait in waits if wait.edge_no == edge.number]) for edge in collect_edges(spec)]


def is_wait_over(edge: Edge, waits: Sequence[RunWait]) -> bool:
    """True when nothing of the dependency is waited for any more."""
    met = edge.after.take == "any" and any(wait.state is WaitState.MET for wait in waits)
    return bool(waits) and (met or not any(wait.state.is_open for wait in waits))


def _describe_open_edge(
    tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait], now: Instant
) -> list[str]:
    lines = [describe_wait_start(dag, run, edge, waits)]
    if not waits:
        return lines
    open_waits = [wait for wait in waits if wait.state.is_open]
    lines += [f"  {line}" for line in describe_upstream_runs(tx, edge, open_waits[:SHOWN], now)]
    lines += [f"  and {len(open_waits) - SHOWN} more slots that are not done"] if len(open_waits) > SHOWN else []
    lines += [f"  {line}" for line in _describe_closed_slots([wait for wait in waits if not wait.state.is_open])]
    lines.append(
        f"  to stop waiting: gnomon runs release {quote_arguments(dag.dag_id, run.run_id, options=f'--from {shlex.quote(edge.after.dag_id)}')}"
    )
    return lines


def describe_wait_start(dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait]) -> str:
    """A sentence on an open dependency: what waits for what, by which rule, since when, and until when."""
    if not waits:
        why = f": {run.reason}" if run.reason else ""
        return f"{describe_edge(dag.dag_id, edge)}: the scheduler is looking up which of its slots to wait for{why}"
    since = min(wait.since for wait in waits if wait.state.is_open)
    return f"{_describe_edge(dag, edge, waits)}, since {iso(since)}{_describe_max_wait(edge, run)}"


def _describe_edge(dag: DagRecord, edge: Edge, waits: Sequence[RunWait]) -> str:
    rule = rule_words_of(waits[0].rule)
    return describe_edge(dag.dag_id, edge) + ("" if waits[0].up_at == NO_SLOT else f" ({rule.name}: {rule.meaning})")


def _describe_max_wait(edge: Edge, run: RunRecord) -> str:
    limit_s = edge.after.max_wait_s
    since = run.queued_at if edge.task_id is None else run.started_at
    if limit_s is None or since is None:
        return ""
    return f"; it fails at {iso(add_seconds(max(since, run.run_after), limit_s))} if the wait lasts until then"


def _describe_closed_slots(waits: Sequence[RunWait]) -> list[str]:
    """Phrases on the slots of a dependency that are no longer waited for; slots in the same state share one."""
    phrases = []
    met = [wait for wait in waits if wait.state is WaitState.MET and wait.up_at != NO_SLOT]
    if met:
        phrases.append(f"{_format_slots(met)} is done")
    by_outcome: dict[tuple[str, str], list[RunWait]] = {}
    for wait in waits:
        if wait.state in _STATE_WORDS:
            by_outcome.setdefault((_STATE_WORDS[wait.state], f" ({wait.note})" if wait.note else ""), []).append(wait)
    phrases += [f"{_format_slots(same)} {words}{note}" for (words, note), same in by_outcome.items()][:SHOWN]
    return phrases


def describe_wait_outcome(dag: DagRecord, edge: Edge, waits: Sequence[RunWait]) -> str:
    """A sentence on how a dependency ended."""
    sentence = describe_edge(dag.dag_id, edge).replace(" waits for ", " waited for ", 1)
    released = next((wait for wait in waits if wait.state is WaitState.RELEASED), None)
    if released is not None:
        return f"{sentence}: {released.note or 'released'} at {iso(released.since)}"
    if all(wait.up_at == NO_SLOT for wait in waits):
        return f"{sentence}: there was no slot to wait for"
    rule = rule_words_of(waits[0].rule).name
    outcome = "; ".join(_describe_closed_slots(waits)) or f"{_format_slots(waits)} is not done"
    return f"{sentence} ({rule}): {outcome}, the last change at {iso(max(wait.since for wait in waits))}"


def _format_slots(waits: Iterable[RunWait]) -> str:
    slots = sorted(wait.up_at for wait in waits)
    if len(slots) == 1:
        return f"the slot at {iso(slots[0])}"
    if len(slots) <= SHOWN:
        return f"each of the slots {', '.join(f'at {iso(slot)}' for slot in slots)}"
    return f"every one of {len(slots)} slots, the first at {iso(slots[0])}, the last at {iso(slots[-1])},"


_STATE_WORDS = {
    WaitState.BAD: "failed",
    WaitState.MISSED: "was skipped without a run",
    WaitState.TOLERATED: 'failed, which on_failure="proceed" allows',
    WaitState.ABSENT: "has no run, and is not waited for",
    WaitState.RELEASED: "was released",
    WaitState.CLOSED: "is no longer waited for",
}
