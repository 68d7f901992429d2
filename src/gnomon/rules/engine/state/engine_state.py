"""The engine state of one scheduler: DAGs, unfinished runs, pools, workers, subscriptions, and one heap of timers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gnomon.model.executors import EXECUTOR_CLASSES, LOCAL_EXECUTOR, ConfiguredExecutors
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord, RaisedPriority
from gnomon.model.sentences import Sentence
from gnomon.rules.engine.state.limits import ExecutorLimit, Pool
from gnomon.rules.engine.state.pending_callback import PendingCallback
from gnomon.rules.engine.state.priority_queue import PriorityQueue
from gnomon.rules.engine.state.queue_moves import move_in_queue
from gnomon.rules.engine.state.queue_state import QueueCause
from gnomon.rules.engine.state.subscriptions import DagSubscriptions
from gnomon.rules.engine.state.task_graph import TaskGraph
from gnomon.rules.engine.state.task_instance import Dag, DagRun, FollowedTasks, TaskInstance


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Limits that hold for all DAGs of a scheduler."""

    parallelism: int | None = 32
    """[core] parallelism: the most live attempts; None: unlimited."""
    max_admissions_per_step: int = 256
    """[scheduler] max_tis_per_query: the most task instances that one step admits."""
    max_map_length: int = 1024
    """[core] max_map_length: the longest return value that a task is mapped over."""
    cancel_grace_s: float = 60.0
    """[core] killed_task_cleanup_time, in seconds."""
    callback_timeout_s: float = 600.0
    """[callbacks] callback_execution_timeout, in seconds."""
    alert_kinds: frozenset[str] = frozenset()
    """The kinds of facts that rules of alerts in gnomon.toml ask for."""
    queued_timeout_s: float = 600.0
    """[scheduler] task_queued_timeout, in seconds."""
    executors: ConfiguredExecutors | None = None
    """[core] executor; None: every worker runs every task, whatever executor it names (tests and trials of DAGs)."""


class WorkerCapacity:
    """The slots of one worker, and how many of them attempts of this scheduler use."""

    __slots__ = ("is_reachable", "slots", "used_slots", "worker_id")

    def __init__(self, worker_id: str, slots: int) -> None:
        self.worker_id = worker_id
        self.slots = slots
        self.used_slots = 0
        self.is_reachable = True

    @property
    def has_free_slot(self) -> bool:
        """Whether it can take another attempt now."""
        return self.is_reachable and self.used_slots < self.slots


class Follower(Protocol):
    """Follows the tasks of runs instead of the engine; see `followed_runs.py`."""

    def take(self, run: DagRun) -> FollowedTasks | None:
        """What follows the tasks of a new run; None: the engine does."""

    def settle(self, context: Any) -> bool:
        """Start the tasks that may start, before the engine of the StepContext admits others. True: it gave runs back that are to be evaluated."""


KeptGraphs = dict[tuple[int, int, str], TaskGraph]
"""Graphs by dag_pk, version_pk and hash of the inputs, which a version changes when it is replaced in place."""


class EngineState:
    """All data of the engine. `load_groups` and `drop_groups` add and remove groups; only `step` changes anything else."""

    def __init__(self, limits: EngineLimits) -> None:
        self.limits = limits
        self.graphs: KeptGraphs | None = None
        """In a state that is loaded for explanations: graphs that were compiled before; this state adds its own. None: none are kept."""
        self.dags: dict[int, Dag] = {}
        self.raised_dags: set[int] = set()
        """The DAGs (dag_pk) of which baselines have raised priorities; changed by `set_raised`."""
        self.runs: dict[int, DagRun] = {}
        self.attempts: dict[str, TaskInstance] = {}
        """Live attempts by id."""
        self.pools: dict[str, Pool] = {}
        self.workers: dict[str, WorkerCapacity] = {}
        """By id; changed by `add_worker` and `remove_worker`."""
        self.message_waits: dict[str, Sentence] = {}
        """By attempt id, what is known of the message of an attempt that no worker has claimed; only for explanations."""
        self.claims: dict[str, str] = {}
        """In a state that is loaded for explanations, by attempt: the worker that has claimed it from its executor."""
        self.executor_limits: dict[str, ExecutorLimit] = {}
        """By short name of the executor, or by a name that is not configured."""
        self.epochs: dict[int, int] = {}
        """Owned group to the epoch of this ownership."""
        self.callbacks: dict[str, PendingCallback] = {}
        """Unfinished callbacks of runs, by id."""
        self.queued_callbacks: dict[str, PendingCallback] = {}
        """Those without an attempt, oldest first."""
        self.callback_attempts: dict[str, PendingCallback] = {}
        """Those with an attempt, by the id of the attempt."""
        self.timers: PriorityQueue[TaskInstance | DagRun | PendingCallback] = PriorityQueue()
        """Task instances, runs and callbacks by the instant at which they want to be looked at; void once their generation changed."""
        self.subscriptions: dict[str, DagSubscriptions] = {}
        """Subscriptions for slots of DAGs of the owned groups, by DAG id; the DAG need not exist."""
        self.live_attempt_count = 0
        self.follower: Follower | None = None
        """Who follows tasks of runs; None: the engine follows all."""
        self.last_question_number = 0
        """The number of the newest question to `task_instance_mutation_hook`."""
        self._dag_pks: dict[str, int] = {}

    def add_dag(self, record: DagRecord) -> Dag:
        """Add a DAG that is not in memory, without runs; returns it."""
        key = (record.dag_pk, record.version_pk, record.input_hash)
        dag = self.dags[record.dag_pk] = Dag(record, None if self.graphs is None else self.graphs.get(key))
        if self.graphs is not None:
            self.graphs[key] = dag.graph
        self._dag_pks[record.dag_id] = record.dag_pk
        return dag

    def find_dag(self, dag_id: str) -> Dag | None:
        """The DAG with that id; None when it is not in memory."""
        dag_pk = self._dag_pks.get(dag_id)
        return None if dag_pk is None else self.dags.get(dag_pk)

    def set_raised(self, dag: Dag, raised: Mapping[tuple[str, str], RaisedPriority] | None) -> None:
        """Replace the raised priorities of the DAG; tasks that are in a queue must be moved in it afterwards."""
        dag.raised = raised or None
        (self.raised_dags.add if raised else self.raised_dags.discard)(dag.record.dag_pk)

    def get_pool(self, name: str) -> Pool:
        """The pool with that name; a pool that does not exist has `slots` None and admits nothing."""
        pool = self.pools.get(name)
        if pool is None:
            pool = self.pools[name] = Pool(name, None)
        return pool

    def update_pools(self, records: Iterable[PoolRecord]) -> None:
        """Update all pools from the store; pools that are not in `records` do not exist. Queues keep their task instances."""
        record_names = set()
        for record in records:
            record_names.add(record.name)
            pool = self.get_pool(record.name)
            _resize_pool(pool, record.slots)
            pool.used = record.used
            pool.include_deferred = record.include_deferred
        for name, pool in self.pools.items():
            if name not in record_names:
                _resize_pool(pool, None)

    def add_worker(self, worker_id: str, slots: int) -> WorkerCapacity:
        """The worker with that id, with so many slots; a new one uses none of them."""
        worker = self.workers.get(worker_id)
        if worker is None:
            worker = self.workers[worker_id] = WorkerCapacity(worker_id, slots)
            if self.limits.executors is not None:
                self.get_executor_limit(find_executor_of_worker(worker_id)).workers[worker_id] = worker
        worker.slots = slots
        return worker

    def remove_worker(self, worker_id: str) -> None:
        """Remove the worker, if it is there."""
        self.workers.pop(worker_id, None)
        for limit in self.executor_limits.values():
            limit.workers.pop(worker_id, None)

    def offer_slots(self, worker: WorkerCapacity) -> None:
        """The worker may have a free slot now: offer it to the instances that wait for its executor."""
        if self.executor_limits:
            self.get_executor_limit(find_executor_of_worker(worker.worker_id)).offer()

    def get_executor_limit(self, executor: str) -> ExecutorLimit:
        """The limit of the executor with that short name."""
        limit = self.executor_limits.get(executor)
        if limit is None:
            limit = self.executor_limits[executor] = ExecutorLimit(f"executor {executor}")
        return limit

    def list_busy_groups(self) -> set[int]:
        """The groups of which a worker may have an attempt, of a task or of a callback."""
        dags = [ti.run.dag for ti in self.attempts.values()] + [
            callback.dag for callback in self.callback_attempts.values()
        ]
        return {dag.record.group_no for dag in dags}

    def set_timer(self, at: Instant, subject: TaskInstance | DagRun | PendingCallback) -> None:
        """Look at the subject again at `at`, unless its generation changes before."""
        self.timers.push(at, subject)

    def next_timer(self) -> Instant | None:
        """The instant of the first timer; None when there is none."""
        at: Instant | None = self.timers.peek_key()
        return at

    def release(self) -> None:
        """Drop the runs and all that refers to them: task instances and runs refer to one another, and would stay in memory until the next full
        collection of garbage, which takes some tenths of a second after a few loads. For a state that was loaded to be read; it is empty afterwards.
        """
        for dag in self.dags.values():
            for run in (*dag.runs.values(), *dag.run_history):
                run.task_instances = []
            for runs in (dag.runs, dag.by_slot, dag.run_history, dag.held_instances):
                runs.clear()
        for facts in (
            self.dags,
            self.runs,
            self.attempts,
            self.pools,
            self.callbacks,
            self.queued_callbacks,
            self.callback_attempts,
            self.subscriptions,
            self.claims,
            self.message_waits,
            self.executor_limits,
        ):
            facts.clear()


def find_executor_of_worker(worker_id: str) -> str:
    """The short name of the worker's executor: each but the LocalExecutor is one worker with its name."""
    return worker_id if worker_id in EXECUTOR_CLASSES else LOCAL_EXECUTOR


def _resize_pool(pool: Pool, slots: int | None) -> None:
    """Set the number of slots; oversized instances go to the queue of the pool, where admission looks at them again."""
    if slots == pool.slots:
        return
    pool.slots = slots
    while isinstance(ti := pool.oversized.peek(), TaskInstance):
        move_in_queue(ti, QueueCause.POOL_RESIZED, pool)
