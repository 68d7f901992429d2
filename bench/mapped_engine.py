"""What one instance of a mapped task costs the engine alone: no store, no workers. The cost should not depend on the number.

A task returns a list, a task is mapped over it in a mapped group of two tasks, and a last task follows. Printed for each
number of instances: the expansion, the time of all further steps for each instance, and the memory for each instance.
`python -m bench.mapped_engine`; `python -m bench.mapped_engine 100 1000` for other numbers.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Iterable
from itertools import count

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.mapping import Expansion, XComLength
from gnomon.model.records import DagRecord, GroupState, PoolRecord, RunRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, DagRunType
from gnomon.rules.engine import events as e
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepResult

NUMBERS = (100, 1_000, 10_000)
RESULTS_PER_STEP = 8
"""As many results arrive together when eight workers are busy."""
GROUP_NO = 1


class MappedRun:
    """One run of the DAG in an engine of its own."""

    def __init__(self) -> None:
        group = Expansion(factors=(XComLength(task_id="source"),))
        tasks = (
            TaskSpec(task_id="source"),
            TaskSpec(task_id="first", upstream=("source",), group="g"),
            TaskSpec(task_id="second", upstream=("first",), group="g"),
            TaskSpec(task_id="last", upstream=("second",)),
        )
        spec = DagSpec(
            dag_id="mapped",
            timetable=TimetableRef(path="none"),
            tasks=tasks,
            max_active_tasks=32,
            groups={"g": None},
            group_expansions={"g": group},
        )
        dag = DagRecord(
            dag_pk=1,
            dag_id="mapped",
            group_no=GROUP_NO,
            paused=False,
            active=True,
            plan_seq=0,
            cursor=None,
            next_run=None,
            fingerprint=None,
            version_pk=1,
            spec=spec,
            task_numbers={task.task_id: i for i, task in enumerate(tasks)},
            file="mapped.py",
            input_hash="",
        )
        run = RunRecord(1, 1, "run", DagRunType.MANUAL, DagRunState.QUEUED, 0, None, None, None, None, {}, 0)
        self.state = EngineState(EngineLimits(parallelism=None, max_map_length=max(NUMBERS)))
        self.loaded = load_groups(self.state, GroupState([dag], [run], []), {GROUP_NO: 1})
        self.state.update_pools([PoolRecord("default_pool", -1, 0)])
        self.live: dict[str, Attempt] = {}
        self._ids = count()
        self.now = 1
        self.step(e.WorkerJoined("w", 64))

    def step(self, *events: e.EngineEvent) -> StepResult:
        """One step of the engine; the attempts that it submits are live."""
        loaded, self.loaded = self.loaded, []
        result = step(self.state, events, self.now, lambda: str(next(self._ids)), loaded)
        self.live.update((attempt.attempt_id, attempt) for attempt in result.submits.get("w", ()))
        return result

    def end(self, attempts: Iterable[Attempt], length: int | None = None) -> StepResult:
        """One step in which these attempts succeed."""
        self.now += 1
        return self.step(*(self._build_result(self.live.pop(attempt.attempt_id), length) for attempt in list(attempts)))

    def _build_result(self, attempt: Attempt, length: int | None) -> e.ResultReceived:
        return e.ResultReceived(
            AttemptResult(
                attempt_id=attempt.attempt_id,
                group_no=GROUP_NO,
                run_pk=1,
                task_no=attempt.task_no,
                map_index=attempt.map_index,
                outcome="success",
                return_length=length,
                ended_at=self.now,
            ),
            "w",
        )


def measure(number: int) -> str:
    """One line of the table."""
    tracemalloc.start()
    run = MappedRun()
    before, _ = tracemalloc.get_traced_memory()
    run.end(run.live.values(), number)
    memory = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    run = MappedRun()
    start = time.perf_counter()
    expansion = run.end(run.live.values(), number)
    expanded = time.perf_counter()
    assert len(expansion.changes.tasks) >= number
    while run.live:
        run.end(list(run.live.values())[:RESULTS_PER_STEP])
    ended = time.perf_counter()
    assert not run.state.runs, "the run has not ended"
    per_instance = (ended - expanded) / (2 * number) * 1e6
    return f"{number:>9}  {(expanded - start) * 1000:>12.1f}  {per_instance:>23.1f}  {memory / (2 * number):>22.0f}"


def main() -> None:
    """Print the table."""
    print(f"{'instances':>9}  {'expansion ms':>12}  {'steps, us per instance':>23}  {'bytes per instance':>22}")
    for number in [int(argument) for argument in sys.argv[1:]] or NUMBERS:
        print(measure(number))


if __name__ == "__main__":
    main()
