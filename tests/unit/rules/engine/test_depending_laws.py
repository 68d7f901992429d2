"""Laws of waits between DAGs over random histories: one owner and two, letters that come late, take-overs, refused commits."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from tests.unit.rules.engine.between import DOWN, UP, Between, at
from tests.unit.rules.engine.world import chain

from gnomon.model.records import RunRecord
from gnomon.model.run_waits import KEEP_AFTER_BAD, NO_SLOT, RunWait, SlotOutcome, WaitState
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import collect_edges
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.rules.decide.edges import EdgeVerdict, decide_wait_state, evaluate_edge, subscription_flags
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.subscriptions import DagSubscriptions

SHORT_SEEDS, LONG_SEEDS = 25, 100
STEPS = 40
LOOKS: tuple[Callable[[int], list[int]], ...] = (
    lambda planned: [planned],
    lambda planned: [planned - at(1) + at(0), planned],
    lambda planned: [planned, planned + at(2) - at(0)],
    lambda planned: [],
)
"""Which slots of dag1 a run of dag2 waits for; another schedule of dag1 means another of these."""


def random_after(rng: random.Random) -> DependencySpec:
    return DependencySpec(
        dag_id="dag1",
        task_id=rng.choice((None, None, "load")),
        take=rng.choice(("all", "all", "any")),
        on_failure=rng.choice(("wait", "wait", "proceed", "cancel")),
        on_absent=rng.choice(("ignore", "ignore", "wait", "fail")),
    )


class Play(Between):
    """Random things happen to both DAGs; letters lie where they are until somebody delivers them."""

    def __init__(self, rng: random.Random, owners: int) -> None:
        self.rng = rng
        self.late = False
        self.hours = {UP: 0, DOWN: 0}
        self.look = 0
        super().__init__(
            random_after(rng),
            owners=owners,
            up=chain("load", "tell"),
            down=chain("use") if rng.random() < 0.5 else chain("use", depends_on=(random_after(rng),)),
            slots=lambda planned: LOOKS[self.look](planned),
        )
        for record in self.dags.values():
            record.spec = structs.replace(record.spec, max_active_runs=100)
        self.take_over()

    def settle(self) -> None:
        if not self.late:
            super().settle()

    def happen(self) -> str:
        """One of these, by chance; returns which."""
        name, act = self.rng.choice(_ACTS)
        self.late = self.rng.random() < 0.4
        act(self)
        if self.rng.random() < 0.15:
            self.replace_owner(self.rng.choice(self.owners))
        return name

    def settled(self) -> None:
        """Every letter has come, every slot is found."""
        self.late = False
        self.settle()

    # ---- what happens ------------------------------------------------------------------------------------------------
    def plan_next(self, dag_pk: int) -> None:
        """One time in seven its owner dies when it has stored the plan, and before it has done anything about it."""
        self.hours[dag_pk] += 1
        if dag_pk == UP and self.standing(at(self.hours[UP])) is not None:
            self.skip_to(self.hours[UP])  # a run by hand holds the slot
            return
        owner = self.owner(dag_pk)
        owner.dies = self.rng.random() < 0.15
        self.late = self.late or owner.dies
        self.plan(dag_pk, self.hours[dag_pk])
        if owner.dies:
            self.replace_owner(owner)

    def pass_over(self) -> None:
        self.hours[UP] += 1
        self.skip_to(self.hours[UP])

    def make_by_hand(self) -> None:
        """The run of a slot that was passed, or that is to come."""
        free = [hour for hour in range(1, self.hours[UP] + 3) if self.standing(at(hour)) is None]
        if free:
            self.by_hand(self.rng.choice(free))
        if self.rng.random() < 0.15:
            self.replace_owner(self.owner(UP))

    def end_one(self, dag_pk: int) -> None:
        owner = self.owner(dag_pk)
        live = [one for one in owner.live() if owner.runs[one.run.run_pk].dag_pk == dag_pk]
        if live:
            one = self.rng.choice(live)
            self.step(owner, owner.result(one, self.rng.choice(("success", "success", "failed"))))

    def clear_one(self, dag_pk: int) -> None:
        run = self.any_run(dag_pk)
        if run is not None:
            self.clear(run, *self.rng.choice(((), (), ("load" if dag_pk == UP else "use",))))

    def mark_one(self, dag_pk: int) -> None:
        run = self.any_run(dag_pk)
        if run is not None:
            self.step(
                self.owner(dag_pk),
                *self.read_again(run),
                e.MarkRun(run.run_pk, self.rng.choice(("success", "failed")), "ann"),
            )

    def drop_one(self, dag_pk: int) -> None:
        run = self.any_run(dag_pk)
        if run is not None:
            self.step(self.owner(dag_pk), *self.read_again(run), e.DeleteRun(run.run_pk, "ann"))

    def release_one(self) -> None:
        run = self.any_run(DOWN)
        if run is not None:
            self.step(self.owner(DOWN), e.ReleaseRun(run.run_pk, None, "ann", None))

    def leave_or_come_back(self) -> None:
        self.edit(UP, active=not self.dags[UP].active)

    def another_schedule(self) -> None:
        if not self.dags[UP].active:
            return
        self.look = self.rng.randrange(len(LOOKS))
        spec = self.dags[UP].spec
        path = "other" if spec.timetable.path == "none" else "none"
        self.edit(
            UP, spec=structs.replace(spec, timetable=TimetableRef(path=path)), version_pk=self.dags[UP].version_pk + 1
        )

    def another_dependency(self) -> None:
        record = self.dags[DOWN]
        given = () if self.rng.random() < 0.2 else (random_after(self.rng),)
        self.edit(DOWN, spec=structs.replace(record.spec, depends_on=given), version_pk=record.version_pk + 1)

    def edit(self, dag_pk: int, **fields: object) -> None:
        """The store has it; the owner hears of it, in one case of three after another one has taken its place."""
        record = self.dags[dag_pk] = replace(self.dags[dag_pk], **fields)  # type: ignore[arg-type]
        owner = self.owner(dag_pk)
        owner.dags[dag_pk] = record
        if self.rng.random() < 0.3:
            self.replace_owner(owner)
        self.read_dag(record)

    def replace_owner(self, owner: object) -> None:
        """Its memory is gone, as after a crash or a refused commit; what it had sent is in the mail."""
        for one in self.owners:
            if one is owner:
                one.unresolved_edges, one.dies = [], False
                one.engine_state = one.fresh_engine_state()
                one.step(e.WorkerJoined("w", one.slots), *self._asks(one))
        self.settle()

    def any_run(self, dag_pk: int) -> RunRecord | None:
        runs = [run for run in self.owners[0].runs.values() if run.dag_pk == dag_pk]
        return self.rng.choice(runs[-6:]) if runs else None

    # ---- the oracle --------------------------------------------------------------------------------------------------
    def outcome(self, slot: int, task_id: str | None) -> SlotOutcome:
        """Of a slot of dag1, from the rows alone."""
        record = self.dags[UP]
        run = self.standing(slot)
        if run is None:
            if record.cursor is not None and slot <= record.cursor.run_after:
                return "absent"
            return "open" if record.active else "bad"
        ended = run.state in FINISHED_RUN_STATES
        if task_id is None:
            return (
                ("open" if record.active else "bad")
                if not ended
                else "ok"
                if run.state is DagRunState.SUCCESS
                else "bad"
            )
        row = self.owners[0].rows.get(self.key(run, task_id))
        if row is not None and row.state in FINISHED_TASK_STATES:
            return "ok" if row.state in (S.SUCCESS, S.SKIPPED) else "bad"
        return "bad" if ended or not record.active else "open"

    def verdict(self, run: RunRecord, edge: Edge) -> EdgeVerdict:
        """Of the slots that the run waits for by this edge, as they are now."""
        rows = self.rows_of(run, edge)
        return evaluate_edge(edge.dependency, [self.stands(edge, row) for row in rows])

    def stands(self, edge: Edge, row: RunWait) -> WaitState:
        """What has passed has passed, unless its run was cleared."""
        if row.up_at == NO_SLOT or row.state in (WaitState.RELEASED, WaitState.CLOSED):
            return row.state
        outcome = self.outcome(row.up_at, edge.dependency.task_id)
        return row.state if not row.state.is_open and outcome != "open" else decide_wait_state(edge.dependency, outcome)

    def rows_of(self, run: RunRecord, edge: Edge) -> list[RunWait]:
        return [row for key, row in sorted(self.owners[0].run_waits.items()) if key[:2] == (run.run_pk, edge.number)]

    def edges(self) -> tuple[Edge, ...]:
        return collect_edges(self.dags[DOWN].spec)


_ACTS: list[tuple[str, Callable[[Play], None]]] = [
    *[("plan up", lambda play: play.plan_next(UP)), ("plan down", lambda play: play.plan_next(DOWN))] * 3,
    *[("end up", lambda play: play.end_one(UP)), ("end down", lambda play: play.end_one(DOWN))] * 4,
    *[("pass", Play.pass_over), ("by hand", Play.make_by_hand)] * 2,
    ("clear up", lambda play: play.clear_one(UP)),
    ("clear down", lambda play: play.clear_one(DOWN)),
    ("mark up", lambda play: play.mark_one(UP)),
    ("mark down", lambda play: play.mark_one(DOWN)),
    ("drop up", lambda play: play.drop_one(UP)),
    ("drop down", lambda play: play.drop_one(DOWN)),
    ("release", Play.release_one),
    ("leave", Play.leave_or_come_back),
    ("schedule", Play.another_schedule),
    ("dependency", Play.another_dependency),
    ("deliver", Play.settled),
    *[("find", Play.find)] * 3,
]


def check(play: Play, history: list[str], seed: int) -> None:
    """What holds whenever nothing is under way."""
    said = f"seed {seed}: {history}"
    runs = play.owners[0].runs
    for row in play.owners[0].run_waits.values():
        assert row.down_run in runs, f"{said}: {row} outlives its run"
        assert not (row.state.is_open and runs[row.down_run].state in FINISHED_RUN_STATES), (
            f"{said}: {row} of an ended run is open"
        )
    for run in runs.values():
        if run.dag_pk == DOWN and run.state is DagRunState.QUEUED:
            check_queued(play, run, said)
        elif run.dag_pk == DOWN and run.state is DagRunState.RUNNING:
            check_task(play, run, said)
    check_memory(play, said)


def check_queued(play: Play, run: RunRecord, said: str) -> None:
    """It waits with reason: nothing that could start or end is left lying."""
    edges = [edge for edge in play.edges() if edge.task_id is None]
    found = {edge.number: play.verdict(run, edge) for edge in edges}
    assert EdgeVerdict.WAIT in found.values() and EdgeVerdict.CANCEL not in found.values(), (
        f"{said}: {run.run_id} is {found}"
    )
    for edge in play.edges():
        rows = play.rows_of(run, edge)
        assert rows, f"{said}: {run.run_id} has an edge without slots"
        past = play.dags[UP].cursor
        coming = [row for row in rows if row.state.is_open and (past is None or row.up_at > past.run_after)]
        if coming and any(row.up_at not in _standing(play) for row in coming):
            wanted = set(play.slots(run.run_after))
            have = {row.up_at for row in rows}
            missing = {slot for slot in wanted - have if past is None or slot > past.run_after}
            extra = {
                slot
                for slot in have - wanted
                if (past is None or slot > past.run_after) and slot not in _standing(play)
            }
            assert not missing and not extra, f"{said}: {run.run_id} waits for {have}, and should for {wanted}"


def _standing(play: Play) -> set[int]:
    return {run.slot_at for run in play.owners[0].runs.values() if run.dag_pk == UP and run.slot_at is not None}


def check_task(play: Play, run: RunRecord, said: str) -> None:
    """A task that waits does so with reason."""
    edge = next((edge for edge in play.edges() if edge.task_id is not None), None)
    row = play.owners[0].rows.get(play.key(run, "use"))
    if edge is not None and (row is None or row.state is None):
        assert play.verdict(run, edge) is EdgeVerdict.WAIT, f"{said}: use of {run.run_id} waits for nothing"


def check_memory(play: Play, said: str) -> None:
    """Who waits is known to the owner of what it waits for; memory is what a take-over reads."""
    down, up = play.owner(DOWN), play.owner(UP)
    asked: DagSubscriptions = up.engine_state.subscriptions.get("dag1", {})
    listeners = {(run_pk, edge_no, slot) for slot, several in asked.items() for run_pk, edge_no in several}
    edges = {edge.number: edge for edge in play.edges()}
    for row in play.owners[0].run_waits.values():
        hears = row.state is WaitState.OPEN or (
            row.state is WaitState.BAD and subscription_flags(edges[row.edge_no].dependency) & KEEP_AFTER_BAD
        )
        if hears and play.owners[0].runs[row.down_run].state not in FINISHED_RUN_STATES:
            assert (row.down_run, row.edge_no, row.up_at) in listeners, f"{said}: nobody tells {row}"
    again = down.fresh_engine_state()
    down.loaded = []
    for pk, run in down.engine_state.runs.items():
        if run.dag.record.dag_pk == DOWN:
            other = again.runs[pk]
            assert {n: edge.waits for n, edge in run.edges.items()} == {
                n: edge.waits for n, edge in other.edges.items()
            }, said
    assert down.engine_state.dags[DOWN].runs_waiting_upstream.keys() == again.dags[DOWN].runs_waiting_upstream.keys(), (
        said
    )
    open_rows = {(*key[:2], key[3]) for key, row in play.owners[0].run_waits.items() if row.state.is_open}
    cleared = {run.slot_at for run in play.owners[0].runs.values() if run.dag_pk == UP and run.clear_number > 0}
    for listener in listeners - open_rows:  # who was told that a run begins again may have ended at that moment
        assert len(play.owners) == 2 and listener[2] in cleared, f"{said}: {listener} is told for nothing"


@pytest.mark.parametrize("owners", [1, 2])
def test_waits_are_what_the_rules_say_whatever_happens(owners: int) -> None:
    check_seeds(range(SHORT_SEEDS), owners)


@pytest.mark.soak
@pytest.mark.parametrize("owners", [1, 2])
def test_waits_are_what_the_rules_say_whatever_happens_at_length(owners: int) -> None:
    check_seeds(range(SHORT_SEEDS, LONG_SEEDS), owners)


def check_seeds(seeds: range, owners: int) -> None:
    """Play the history of each seed."""
    for seed in seeds:
        rng = random.Random(seed)
        play = Play(rng, owners)
        history: list[str] = []
        for _ in range(STEPS):
            history.append(play.happen())
            if rng.random() < 0.5:
                play.settled()
                check(play, history, seed)
