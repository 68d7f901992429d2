"""What a run waits for in other DAGs, and what had held it up once it has run: each upstream slot, by which rule, and how it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.model.edges import Edge, edges_of
from gnomon.model.ids import as_argument
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.runwaits import NO_SLOT, RunWait, WaitState
from gnomon.model.states import DagRunState, DagRunType
from gnomon.report.edgewords import edge_words
from gnomon.report.rules import words_of
from gnomon.report.tasks import spec_of_run
from gnomon.report.upslots import clears_since, doing
from gnomon.store import Transaction, run_waits

SHOWN = 5
"""So many open slots of one dependency are told of; the rest is counted."""
_WAITING_TYPES = (DagRunType.SCHEDULED, DagRunType.BACKFILL)


def upstreams_of(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[str]:
    """The DAGs that the run, or a task of it, waits for or has waited for."""
    return sorted({edge.after.dag_id for edge, _ in _edges(tx, dag, run)})


def why_it_waits(tx: Transaction, dag: DagRecord, run: RunRecord, now: Instant, task_id: str | None = None) -> list[str]:
    """Sentences on each dependency that is open: the run's while it is queued, those of its tasks (or of one) while it runs."""
    told: list[str] = []
    for edge, waits in _edges(tx, dag, run):
        of_run = edge.task_id is None
        held = run.state is DagRunState.QUEUED if of_run else run.state is DagRunState.RUNNING
        if held and (task_id is None or edge.task_id in (None, task_id)) and not _is_over(edge, waits):
            told += _open(tx, dag, run, edge, waits, now)
    return told


def what_it_waited_for(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None) -> list[str]:
    """Sentences on what let a run begin (or a task of it), or ended it; and on what was cleared upstream since it began."""
    told: list[str] = []
    for edge, waits in _edges(tx, dag, run):
        if waits and edge.task_id == task_id and (run.ended_at is not None or _is_over(edge, waits)):
            told.append(_was(dag, edge, waits))
            told += clears_since(tx, dag, run, edge, waits)
    return told


def _edges(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[tuple[Edge, list[RunWait]]]:
    """The dependencies that count for the run, each with what was found of it; a run by hand has none."""
    if run.run_type not in _WAITING_TYPES:
        return []
    waits = run_waits.of_runs(tx, [run.run_pk]).get(run.run_pk, [])
    spec = dag.spec if run.state is DagRunState.QUEUED else spec_of_run(tx, dag, run)
    return [(edge, [wait for wait in waits if wait.edge_no == edge.number]) for edge in edges_of(spec)]


def _is_over(edge: Edge, waits: Sequence[RunWait]) -> bool:
    met = edge.after.take == "any" and any(wait.state is WaitState.MET for wait in waits)
    return bool(waits) and (met or not any(wait.state.is_open for wait in waits))


def _open(tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait], now: Instant) -> list[str]:
    if not waits:
        why = f": {run.reason}" if run.reason else ""
        return [f"{edge_words(dag.dag_id, edge)}: which runs of it are waited for is being found{why}"]
    still = [wait for wait in waits if wait.state.is_open]
    lines = [f"{_head(dag, edge, waits)}, since {iso(min(wait.since for wait in still))}{_at_most(edge, run)}"]
    lines += [f"  {line}" for line in doing(tx, edge, still[:SHOWN], now)]
    lines += [f"  and {len(still) - SHOWN} more slots that are not done"] if len(still) > SHOWN else []
    lines += [f"  {line}" for line in _settled([wait for wait in waits if not wait.state.is_open])]
    lines.append(f"  to go on without: gnomon runs release {dag.dag_id} {as_argument(run.run_id)} --from {edge.after.dag_id}")
    return lines


def _head(dag: DagRecord, edge: Edge, waits: Sequence[RunWait]) -> str:
    rule = words_of(waits[0].rule)
    return edge_words(dag.dag_id, edge) + ("" if waits[0].up_at == NO_SLOT else f" ({rule.name}: {rule.meaning})")


def _at_most(edge: Edge, run: RunRecord) -> str:
    limit_s = edge.after.max_wait_s
    since = run.queued_at if edge.task_id is None else run.started_at
    if limit_s is None or since is None:
        return ""
    return f"; it fails at {iso(max(since, run.run_after) + int(limit_s * SECOND))} if that is not done"


def _settled(waits: Sequence[RunWait]) -> list[str]:
    """What is known of the slots of a dependency, in few words."""
    told = []
    met = [wait for wait in waits if wait.state is WaitState.MET and wait.up_at != NO_SLOT]
    if met:
        told.append(f"{_slots(met)} is done")
    alike: dict[tuple[str, str], list[RunWait]] = {}
    for wait in waits:
        if wait.state in _SETTLED:
            alike.setdefault((_SETTLED[wait.state], f" ({wait.note})" if wait.note else ""), []).append(wait)
    told += [f"{_slots(several)} {words}{note}" for (words, note), several in alike.items()][:SHOWN]
    return told


def _was(dag: DagRecord, edge: Edge, waits: Sequence[RunWait]) -> str:
    said = edge_words(dag.dag_id, edge).replace(" waits for ", " waited for ", 1)
    released = next((wait for wait in waits if wait.state is WaitState.RELEASED), None)
    if released is not None:
        return f"{said}: {released.note or 'released'} at {iso(released.since)}"
    if all(wait.up_at == NO_SLOT for wait in waits):
        return f"{said}: there was no slot to wait for"
    rule = words_of(waits[0].rule).name
    done = "; ".join(_settled(waits)) or f"{_slots(waits)} is not done"
    return f"{said} ({rule}): {done}, the last news at {iso(max(wait.since for wait in waits))}"


def _slots(waits: Iterable[RunWait]) -> str:
    slots = sorted(wait.up_at for wait in waits)
    if len(slots) == 1:
        return f"the slot at {iso(slots[0])}"
    if len(slots) <= SHOWN:
        return f"each of the slots {', '.join(f'at {iso(slot)}' for slot in slots)}"
    return f"every one of {len(slots)} slots, the first at {iso(slots[0])}, the last at {iso(slots[-1])},"


_SETTLED = {
    WaitState.BAD: "ended badly",
    WaitState.MISSED: "was passed without a run",
    WaitState.BORNE: "ended badly, which on_failure=\"proceed\" allows",
    WaitState.ABSENT: "has no run, and is not waited for",
    WaitState.RELEASED: "was released",
    WaitState.CLOSED: "is no longer waited for",
}
