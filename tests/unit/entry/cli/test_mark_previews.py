"""The preview of a mark is what the mark does: random DAGs with setups, teardowns and mapped groups, marked at random moments, at each door."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.databases import create_file
from tests.unit.entry.cli.deployment import NEVER, NOW, Deployment
from tests.unit.rules.engine.test_random_scopes import RandomScopes

from gnomon.changes.actions.manual_runs import NewRun, create_run
from gnomon.changes.operations.changed_instances import CLEARED, InstanceChange, RowToMark
from gnomon.changes.operations.operation_scope import AllDags, OperationScope
from gnomon.changes.operations.run_operations import mark_run, select_run_to_mark
from gnomon.changes.operations.task_operations import list_states, mark_tasks, select_to_mark
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.attempts import Attempt
from gnomon.model.spec import DagSpec
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.testing import Play

SEEDS = 40
SOAK_SEEDS = 3_000
ACTS = 6
RUNS = 3
LONG_S = 1_000_000.0
FINISHED = {state.value for state in FINISHED_TASK_STATES}
Name = tuple[str, str]
"""A run id, and the name of a task instance."""
State = tuple[str | None, str | None]
"""The state of a task instance, and when it ended."""


class MarkedDeployment(Deployment):
    """A deployment whose tasks end at random, or run for ever."""

    rng: random.Random
    length: int
    all_hang = False

    def _play(self, attempt: Attempt) -> Play:
        outcome = self.rng.choices(("success", "failed", "skipped", "hangs"), (8, 2, 1, 2))[0]
        if self.all_hang or outcome == "hangs":
            return Play(run_s=LONG_S)
        return Play(
            outcome=outcome, return_length=self.length if attempt.task_id == "t0" and outcome == "success" else None
        )


class MarkPlayer:
    """Plays the runs of one seed, and compares the preview of each mark with what is done."""

    def __init__(self, seed: int, folder: Path) -> None:
        clock = VirtualClock(NOW)
        home = Home(load_config({}, folder / "home"), clock, clock.advance)
        create_file(home.cfg.home / "gnomon.db")
        self.seed = seed
        self.rng = random.Random(seed)
        dag = RandomScopes(seed)
        self.spec: DagSpec = msgspec.structs.replace(dag.record.spec, dag_id="d", timetable=NEVER)
        self.deployment = MarkedDeployment(home, clock)
        self.deployment.rng, self.deployment.length = random.Random(-seed - 1), dag.lengths.get("g", 2)
        self.deployment.add(self.spec)
        self.deployment.start()
        self.scope = OperationScope(home, self.deployment.db, AllDags())
        self.runs = [f"r{number}" for number in range(RUNS)]
        for run_id in self.runs:
            create_run(home, self.deployment.db, NewRun(dag_id="d", run_id=run_id))
            self.deployment.move(self.rng.choice((0.0, 1.0, 10.0)))

    def play(self) -> None:
        for _ in range(ACTS):
            self.deployment.all_hang = False
            self.deployment.move(self.rng.choice((0.5, 3.0, 30.0)))
            self.deployment.all_hang = True
            self.deployment.move(30.0)
            self.rng.choice((self._mark_tasks, self._mark_tasks, self._mark_run))()
        self.deployment.close()

    def _states(self) -> dict[Name, State]:
        return {
            (row.run_id, row.name): (row.state, row.end_date)
            for run_id in self.runs
            for row in list_states.function(self.scope, "d", run_id)
        }

    def _mark_tasks(self) -> None:
        run_id, state = self.rng.choice(self.runs), self.rng.choice(("success", "failed", "skipped"))
        before = self._states()
        names = self.rng.sample(sorted({name for run, name in before if run == run_id}), self.rng.choice((1, 1, 2)))
        options = {name: self.rng.random() < 0.4 for name in ("upstream", "downstream", "past", "future")}
        preview = select_to_mark.function(self.scope, "d", run_id, state, names, **options)
        change = mark_tasks.function(self.scope, "d", run_id, state, names, **options)
        self._check(f"{run_id} {names} {state} {options}", before, _read(preview), change, others_end=True)

    def _mark_run(self) -> None:
        run_id, state = self.rng.choice(self.runs), self.rng.choice(("success", "failed"))
        before = self._states()
        preview = select_run_to_mark.function(self.scope, "d", run_id, state)
        change = mark_run.function(self.scope, "d", run_id, state)
        self._check(f"{run_id} {state}", before, _read(preview), change, others_end=False)

    def _check(
        self, act: str, before: dict[Name, State], preview: dict[Name, str], change: InstanceChange, *, others_end: bool
    ) -> None:
        """`others_end`: rules may end what had no state yet, as they do after each end of a task."""
        after = self._states()
        about = f"seed {self.seed}, {act}: {preview}"
        done = {(row.run_id, row.name) for row in change.changed}
        assert done == {name for name in preview if name in after}, (
            f"{about}: {done ^ set(preview)}"
        )  # a mapped task that runs again may have other instances
        preview = {name: becomes for name, becomes in preview.items() if name in after}
        for name, becomes in preview.items():
            assert after[name] != before[name], f"{about}: {name} stays {before[name]}"
            assert becomes in (CLEARED, after[name][0]), f"{about}: {name} is {after[name]}"
        known = {
            name: state for name, state in after.items() if name in before
        }  # without instances that a mapped task has only after the mark
        changed = {
            name
            for name, (state, _) in known.items()
            if before[name] != after[name] and (before[name][0] in FINISHED or (state in FINISHED and not others_end))
        }
        assert changed <= set(preview), f"{about}: {changed - set(preview)} changed too"


def _read(preview: list[RowToMark]) -> dict[Name, str]:
    return {(row.run_id, row.name): row.becomes for row in preview}


def test_some_marks_do_what_their_previews_say(tmp_path: Path) -> None:
    for seed in range(SEEDS):
        MarkPlayer(seed, tmp_path / str(seed)).play()


@pytest.mark.soak
def test_all_marks_do_what_their_previews_say(tmp_path: Path) -> None:
    for seed in range(SEEDS, SOAK_SEEDS):
        MarkPlayer(seed, tmp_path / str(seed)).play()
