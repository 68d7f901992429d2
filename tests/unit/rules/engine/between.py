"""Two DAGs of one owner or of two, one store: what passes between them is delivered until nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
from tests.unit.rules.engine.world import World, chain, dag_record, read_again

from gnomon.model.ids import group_of
from gnomon.model.records import DagRecord, NewMail, RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, SlotFact, SubscriptionMessage, UpstreamUpdate, WaitState
from gnomon.model.slots import Cursor
from gnomon.model.spec import TaskSpec, collect_edges
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState, DagRunType
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult

UP, DOWN = 1, 2
HOUR = 3_600_000_000
START = 1_700_000_000_000_000
"""Planned times count from here."""


def at(hour: float) -> int:
    """A planned time."""
    return START + int(hour * HOUR)


class Owner(World):
    """One scheduler of a shared store."""

    unresolved_edges: Sequence[tuple[int, int]] = ()
    dies = False
    """Its next step is not stored."""

    def write(self, decided: StepResult) -> None:
        if self.dies:
            return
        super().write(decided)
        self.unresolved_edges = [*self.unresolved_edges, *decided.unresolved_edges]


class Between:
    """dag1 is upstream, dag2 waits for it. `slots`: which slots a run of dag2 waits for, by its own planned time."""

    def __init__(
        self,
        after: DependencySpec | Sequence[DependencySpec] = (),
        *,
        owners: int = 1,
        up: Sequence[TaskSpec] | None = None,
        down: Sequence[TaskSpec] | None = None,
        slots: Callable[[int], Sequence[int]] = lambda planned: (planned,),
        there: bool = True,
        **down_fields: object,
    ) -> None:
        given = (after,) if isinstance(after, DependencySpec) else tuple(after)
        self.dags = {
            UP: _dag(up or chain("load"), UP),
            DOWN: _dag(down or chain("use"), DOWN, depends_on=given, **down_fields),
        }
        self.slots = slots
        self.there = there
        self.resolution_error: str | None = None
        parts = [[UP, DOWN]] if owners == 1 else [[UP], [DOWN]]
        known = [[pk for pk in part if pk == DOWN or there] for part in parts]
        groups = [{self.dags[pk].group_no for pk in part} for part in parts]
        self.owners = [Owner(*(self.dags[pk] for pk in part)) if part else _nobody(self.dags[UP]) for part in known]
        first = self.owners[0]
        for owner, owned in zip(self.owners, groups, strict=True):
            owner.groups = lambda owned=owned: owned  # type: ignore[method-assign,misc]
            owner.unresolved_edges = []
            for name in ("runs", "rows", "run_waits", "mail", "attempts", "waits", "_run_pks", "_ids"):
                setattr(owner, name, getattr(first, name))
            self._begin(owner)

    def _begin(self, owner: Owner) -> None:
        owner.engine_state = owner.fresh_engine_state()
        owner.step(e.WorkerJoined("w", owner.slots), *self._asks(owner))
        self.settle()

    def take_over(self) -> None:
        """Every owner is replaced by one that knows only what the store has."""
        for owner in self.owners:
            owner.engine_state = owner.fresh_engine_state()
        for owner in self.owners:
            owner.step(e.WorkerJoined("w", owner.slots), *self._asks(owner))
        self.settle()

    def _asks(self, owner: Owner) -> list[e.EngineEvent]:
        """Open waits for DAGs of this owner, as a load finds them."""
        asked: dict[tuple[int, int, str], list[int]] = {}
        rows = [wait for wait in owner.run_waits.values() if wait.state.is_open and wait.up_group in owner.groups()]
        for wait in rows:
            asked.setdefault((wait.down_run, wait.edge_no, wait.up_dag), []).append(wait.up_at)
        found: list[e.EngineEvent] = []
        for wait in rows:
            slots = asked.pop((wait.down_run, wait.edge_no, wait.up_dag), None)
            if slots is not None:
                ask = SubscriptionMessage(
                    wait.up_dag, tuple(slots), wait.down_run, wait.down_group, wait.edge_no, wait.task_id, wait.keeps
                )
                found.append(e.SubscriptionRequested(ask, self.facts(slots, wait.task_id)))
        return found

    # ---- what the store knows ----------------------------------------------------------------------------------------
    def facts(self, slots: Sequence[int], task_id: str | None = None) -> tuple[SlotFact, ...]:
        return tuple(self._fact(slot, task_id) for slot in slots)

    def _fact(self, slot: int, task_id: str | None) -> SlotFact:
        record = self.dags[UP]
        if slot == NO_SLOT:
            return SlotFact(slot, "changed" if self.there else "open")
        run = self.standing(slot)
        if run is None and record.cursor is not None and slot <= record.cursor.run_after:
            return SlotFact(slot, "absent")
        if run is None and not record.active:
            return SlotFact(slot, "bad")
        if run is None:
            return SlotFact(slot, "open")
        if run.state not in FINISHED_RUN_STATES:
            return SlotFact(slot, "open" if record.active else "bad", run.clear_number)
        good = run.state is DagRunState.SUCCESS
        if task_id is not None:
            row = self.owners[0].rows.get(self.key(run, task_id))
            good = row is not None and row.state in FINISHED_TASK_STATES and str(row.state) in ("success", "skipped")
        return SlotFact(slot, "ok" if good else "bad", run.clear_number)

    def key(self, run: RunRecord, task_id: str):  # type: ignore[no-untyped-def]
        return self.owner(run.dag_pk).key(run, task_id)

    def owner(self, dag_pk: int) -> Owner:
        return self.owners[0] if dag_pk == UP else self.owners[-1]

    # ---- what happens ------------------------------------------------------------------------------------------------
    def settle(self) -> None:
        """Edges are resolved and letters delivered until there are none."""
        while any(owner.unresolved_edges for owner in self.owners) or self.owners[0].mail:
            self.find()
            letters = list(self.owners[0].mail)
            self.owners[0].mail.clear()
            for letter in letters:
                owner = next(owner for owner in self.owners if letter.group_no in owner.groups())
                event = self.read(letter)
                if event is not None:
                    owner.step(event)

    def find(self) -> None:
        """Edges are resolved; what that sends stays in the mail."""
        for owner in self.owners:
            unresolved, owner.unresolved_edges = owner.unresolved_edges, []
            if unresolved:
                owner.step(*(found for wanted in unresolved if (found := self._found(owner, *wanted)) is not None))

    def read(self, letter: NewMail) -> e.EngineEvent | None:
        if letter.kind == "run_created":
            return self._run_created(letter)
        if letter.kind == "wait_registered":
            ask = msgspec.json.decode(letter.body, type=SubscriptionMessage)
            return e.SubscriptionRequested(ask, self.facts(ask.slots, ask.task_id))
        return e.UpstreamUpdatesReceived(tuple(msgspec.json.decode(letter.body, type=list[UpstreamUpdate])))

    def _run_created(self, letter: NewMail) -> e.EngineEvent | None:
        """The run as the store has it; nothing when it is gone."""
        run = self.owners[0].runs.get(msgspec.json.decode(letter.body, type=dict[str, int])["run_pk"])
        rows = (
            ()
            if run is None
            else tuple(row for key, row in sorted(self.owner(run.dag_pk).rows.items()) if key.run_pk == run.run_pk)
        )
        return None if run is None else e.RunRead(read_again(run), read_again(rows))

    def _found(self, owner: Owner, run_pk: int, edge_no: int) -> e.SlotsResolved | None:
        """The slots; None when the run or its edge is gone meanwhile."""
        edge = next((edge for edge in collect_edges(self.dags[DOWN].spec) if edge.number == edge_no), None)
        if edge is None or run_pk not in owner.runs:
            return None
        if self.resolution_error is not None:
            return e.SlotsResolved(run_pk, edge_no, "none", error=self.resolution_error)
        if not self.there:
            return e.SlotsResolved(run_pk, edge_no, "none", unknown=True)
        slots = self.slots(owner.runs[run_pk].run_after)
        ours = group_of("dag1") in owner.groups()
        facts = self.facts(slots, edge.dependency.task_id) if ours else tuple(SlotFact(slot, "open") for slot in slots)
        absent: tuple[SlotFact, ...] = ()
        if edge.dependency.on_absent != "wait":
            gone = {fact.at for fact in self.facts(slots) if fact.outcome == "absent"}
            absent = tuple(SlotFact(slot, "absent") for slot in sorted(gone))
            facts = tuple(fact for fact in facts if fact.at not in gone)
        return e.SlotsResolved(
            run_pk, edge_no, "same_hour" if slots else "none", facts, absent, self.dags[UP].version_pk
        )

    def by_hand(self, hour: float) -> RunRecord:
        """Somebody has made a run of dag1 for that slot; its owner is told by letter."""
        owner = self.owner(UP)
        run = replace(owner.new_run(UP, owner.now), stands_for=at(hour))
        owner.runs[run.run_pk] = read_again(run)
        owner.mail.append(NewMail(self.dags[UP].group_no, "run_created", f'{{"run_pk": {run.run_pk}}}', at=owner.now))
        self.settle()
        return run

    def standing(self, slot: int) -> RunRecord | None:
        """The run of dag1 that stands for that slot."""
        return next((run for run in self.owners[0].runs.values() if run.dag_pk == UP and run.slot_at == slot), None)

    def plan(self, dag_pk: int, hour: float) -> RunRecord:
        """Planning has made the run of that slot."""
        owner = self.owner(dag_pk)
        run = replace(owner.new_run(dag_pk, at(hour)), run_type=DagRunType.SCHEDULED)
        owner.runs[run.run_pk] = read_again(run)
        self.owner_now(owner, at(hour))
        record = self.dags[dag_pk]
        before = record.cursor.run_after if record.cursor is not None else None
        record.cursor = Cursor(run_after=at(hour), interval_start=None, interval_end=None)
        owner.engine_state.dags[dag_pk].record.cursor = record.cursor
        self.step(owner, e.RunRead(run), e.CursorMoved(dag_pk, before, at(hour)))
        return run

    def owner_now(self, owner: Owner, instant: int) -> None:
        for one in self.owners:
            one.now = max(one.now, instant)

    def skip_to(self, hour: float) -> None:
        """The cursor of dag1 passes everything up to that slot; no run is made."""
        record, owner = self.dags[UP], self.owner(UP)
        before = record.cursor.run_after if record.cursor is not None else None
        record.cursor = Cursor(run_after=at(hour), interval_start=None, interval_end=None)
        owner.engine_state.dags[UP].record.cursor = record.cursor
        self.step(owner, e.CursorMoved(UP, before, at(hour)))

    def step(self, owner: Owner, *events: e.EngineEvent, seconds: float = 0) -> None:
        owner.step(*events, seconds=seconds)
        self.settle()

    def end(
        self, dag_pk: int, task_id: str, outcome: str = "success", run: RunRecord | None = None, **fields: object
    ) -> None:
        """The live attempt of that task of that run ends, or of that DAG's oldest run."""
        owner = self.owner(dag_pk)
        mine = [a for a in owner.live(task_id) if self.owners[0].runs[a.run.run_pk].dag_pk == dag_pk]
        attempt = next(a for a in mine if run is None or a.run.run_pk == run.run_pk)
        self.step(owner, owner.result(attempt, outcome, **fields))

    def read_dag(self, record: DagRecord) -> None:
        self.there = self.there or record.dag_pk == UP
        self.dags[record.dag_pk] = record
        owner = self.owner(record.dag_pk)
        owner.dags[record.dag_pk] = record
        self.step(owner, e.DagRead(read_again(record)))

    def read_again(self, run: RunRecord) -> list[e.EngineEvent]:
        """The run as the store has it, unless it is in memory."""
        owner = self.owner(run.dag_pk)
        if run.run_pk in owner.engine_state.runs:
            return []
        rows = tuple(row for key, row in sorted(owner.rows.items()) if key.run_pk == run.run_pk)
        return [
            e.RunRead(read_again(owner.runs[run.run_pk]), read_again(rows), run_waits=tuple(owner.waits_of(run.run_pk)))
        ]

    def clear(self, run: RunRecord, *tasks: str) -> None:
        owner = self.owner(run.dag_pk)
        keys = tuple(owner.key(run, task_id) for task_id in tasks) or None
        asks = tuple(
            SubscriptionMessage(
                wait.up_dag, (wait.up_at,), wait.down_run, wait.down_group, wait.edge_no, wait.task_id, wait.keeps
            )
            for wait in owner.run_waits.values()
            if wait.up_at == owner.runs[run.run_pk].slot_at
            and wait.up_dag == self.dags[run.dag_pk].dag_id
            and wait.state not in (WaitState.CLOSED, WaitState.RELEASED)
            and self._has_not_begun(wait)
        )
        self.step(owner, *self.read_again(run), e.ClearTasks(run.run_pk, keys, "ann", waited_for=asks))

    def _has_not_begun(self, wait: RunWait) -> bool:
        """News of it count: its run is queued, or running while a task of it waits."""
        state = self.owners[0].runs[wait.down_run].state
        of_task = any(
            edge.number == wait.edge_no and edge.task_id is not None for edge in collect_edges(self.dags[DOWN].spec)
        )
        return state is DagRunState.QUEUED or (state is DagRunState.RUNNING and of_task)

    # ---- what is seen ------------------------------------------------------------------------------------------------
    def state(self, run: RunRecord) -> str:
        return str(self.owners[0].runs[run.run_pk].state)

    def record(self, run: RunRecord) -> RunRecord:
        return self.owners[0].runs[run.run_pk]

    def waits(self, run: RunRecord) -> dict[float, WaitState]:
        """Hour of the slot to the state of the wait."""
        return {
            (wait.up_at - START) / HOUR if wait.up_at else -1: wait.state
            for key, wait in sorted(self.owners[0].run_waits.items())
            if key[0] == run.run_pk
        }


def _dag(tasks: Sequence[TaskSpec], dag_pk: int, **fields: object) -> DagRecord:
    record = dag_record(tasks, dag_pk, **fields)
    return replace(record, group_no=group_of(record.dag_id))


def _nobody(stand_in: DagRecord) -> Owner:
    """An owner of a group without a DAG."""
    owner = Owner(stand_in)
    owner.dags = {}
    return owner
