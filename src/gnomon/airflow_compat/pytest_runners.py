"""What the fixtures `run_dag`, `run_task` and `dag_maker` give to a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from gnomon.author_code.loading import dialect
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.entry.testing.dag_runs.finished_run import FinishedDagRun, FinishedTaskInstance
from gnomon.entry.testing.dag_runs.foreground_run import run_dag
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.entry.testing.dag_runs.task_trial import run_single_task
from gnomon.ground.clock import Clock
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say


class DagRunner:
    """Runs DAGs in the store of the test."""

    def __init__(self, store: PrivateStore, clock: Clock | None) -> None:
        self._store = store
        self._clock = clock

    def __call__(self, dag: Any, *args: Any, **kwargs: Any) -> FinishedDagRun:
        """Run the DAG once, to its end; the other arguments are those of `dag.test()`. Raises as `dag.test()` does."""
        return run_dag(dag, *args, store=self._store, clock=self._clock, **kwargs)


class TaskRunner:
    """Runs single tasks in the store of the test."""

    def __init__(self, store: PrivateStore, clock: Clock | None) -> None:
        self._store = store
        self._clock = clock

    def __call__(
        self,
        task: Any,
        *,
        logical_date: datetime | None = NOTSET,  # type: ignore[assignment]
        conf: dict[str, Any] | None = None,
        xcoms: Mapping[str, Any] | None = None,
    ) -> FinishedTaskInstance:
        """Run one task alone, whatever its trigger rule, and return its task instance, with `state` and `xcom_pull()`.

        `task`: an operator, or what a `@task` function returns when it is called. `logical_date`: default now. `conf`: the conf of the run,
        which also sets params. `xcoms`: task id to the value that the task is taken to have returned; no other task is run.

        Raises UserError for something that is no task, for a mapped task (use `instances`), and as `dag.test()` does.
        """
        instances = self.instances(task, logical_date=logical_date, conf=conf, xcoms=xcoms)
        if len(instances) != 1:
            raise UserError(say("mapped_task_has_instances", task_id=instances[0].task_id, total=len(instances)))
        return instances[0]

    def instances(
        self,
        task: Any,
        *,
        logical_date: datetime | None = NOTSET,  # type: ignore[assignment]
        conf: dict[str, Any] | None = None,
        xcoms: Mapping[str, Any] | None = None,
    ) -> Sequence[FinishedTaskInstance]:
        """As a call, for a mapped task: its task instances by map index."""
        operator = task.operator if isinstance(task, XComArg) else task
        if not hasattr(operator, "task_id"):
            raise UserError(say("task_is_no_operator", thing=repr(task)))
        return run_single_task(
            operator, self._store, self._clock, logical_date=logical_date, conf=conf, xcoms=xcoms or {}
        )


class DagMaker:
    """Makes one DAG of a test: a context manager, as `DAG` itself, which also runs the DAG."""

    def __init__(self, store: PrivateStore, clock: Clock | None) -> None:
        self._store = store
        self._clock = clock
        self._dag: DAG | None = None
        self._block: ExitStack = ExitStack()

    def __call__(self, dag_id: str = "test_dag", *, schedule: Any = None, **arguments: Any) -> DagMaker:
        """Make the DAG. The arguments are those of `DAG`; its schedule is None unless it is given."""
        dialect.enable()
        self._dag = DAG(dag_id, schedule=schedule, **arguments)
        return self

    def __enter__(self) -> DAG:
        if self._dag is None:
            self()
        return self._block.enter_context(self.dag)

    def __exit__(self, *error: object) -> None:
        self._block.close()

    @property
    def dag(self) -> DAG:
        """The DAG. Raises UserError before it is made."""
        if self._dag is None:
            raise UserError(say("maker_has_no_dag"))
        return self._dag

    def run(self, *args: Any, **kwargs: Any) -> FinishedDagRun:
        """Run the DAG once, with the arguments of `dag.test()`; returns the run."""
        return run_dag(self.dag, *args, store=self._store, clock=self._clock, **kwargs)
