"""The memory of one scheduler: DAGs, unfinished runs, pools, workers, subscriptions, and one heap of timers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.engine.state.limits import Pool
from gnomon.engine.state.owed_callback import OwedCallback
from gnomon.engine.state.priority_queue import PriorityQueue
from gnomon.engine.state.queue_moves import move_in_queue
from gnomon.engine.state.queue_state import QueueCause
from gnomon.engine.state.subscriptions import DagSubscriptions
from gnomon.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord


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


class WorkerCapacity:
    """The slots of one worker, and how many of them attempts of this scheduler use."""

    __slots__ = ("is_reachable", "slots", "used_slots", "worker_id")

    def __init__(self, worker_id: str, slots: int) -> None:
        self.worker_id = worker_id
        self.slots = slots
        self.used_slots = 0
        self.is_reachable = True


class EngineState:
    """All data of the engine. `load_groups` and `drop_groups` add and remove groups; only `step` changes anything else."""

    def __init__(self, limits: EngineLimits) -> None:
        self.limits = limits
        self.dags: dict[int, Dag] = {}
        self.runs: dict[int, DagRun] = {}
        self.attempts: dict[str, TaskInstance] = {}
        """Live attempts by id."""
        self.pools: dict[str, Pool] = {}
        self.workers: dict[str, WorkerCapacity] = {}
        self.epochs: dict[int, int] = {}
        """Owned group to the epoch of this ownership."""
        self.callbacks: dict[str, OwedCallback] = {}
        """Unfinished callbacks of runs, by id."""
        self.queued_callbacks: dict[str, OwedCallback] = {}
        """Those without an attempt, oldest first."""
        self.callback_attempts: dict[str, OwedCallback] = {}
        """Those with an attempt, by the id of the attempt."""
        self.timers: PriorityQueue[TaskInstance | DagRun | OwedCallback] = PriorityQueue()
        """Task instances, runs and callbacks by the instant at which they want to be looked at; void once their generation changed."""
        self.subscriptions: dict[str, DagSubscriptions] = {}
        """Subscriptions for slots of DAGs of the owned groups, by DAG id; the DAG need not exist."""
        self.live_attempt_count = 0
        self.last_question_number = 0
        """The number of the newest question to `task_instance_mutation_hook`."""
        self._dag_pks: dict[str, int] = {}

    def add_dag(self, record: DagRecord) -> Dag:
        """Add a DAG that is not in memory, without runs; returns it."""
        dag = self.dags[record.dag_pk] = Dag(record)
        self._dag_pks[record.dag_id] = record.dag_pk
        return dag

    def find_dag(self, dag_id: str) -> Dag | None:
        """The DAG with that id; None when it is not in memory."""
        dag_pk = self._dag_pks.get(dag_id)
        return None if dag_pk is None else self.dags.get(dag_pk)

    def get_pool(self, name: str) -> Pool:
        """The pool with that name; a pool that does not exist has `slots` None and admits nothing."""
        pool = self.pools.get(name)
        if pool is None:
            pool = self.pools[name] = Pool(name, None)
        return pool

    def update_pools(self, records: Iterable[PoolRecord]) -> None:
        """Update all pools from the store; pools that are not in `records` do not exist. Queues keep their task instances."""
        seen = set()
        for record in records:
            seen.add(record.name)
            pool = self.get_pool(record.name)
            _resize_pool(pool, record.slots)
            pool.used = record.used
            pool.include_deferred = record.include_deferred
        for name, pool in self.pools.items():
            if name not in seen:
                _resize_pool(pool, None)

    def set_timer(self, at: Instant, subject: TaskInstance | DagRun | OwedCallback) -> None:
        """Look at the subject again at `at`, unless its generation changes before."""
        self.timers.push(at, subject)

    def next_timer(self) -> Instant | None:
        """The instant of the first timer; None when there is none."""
        at: Instant | None = self.timers.peek_key()
        return at


def _resize_pool(pool: Pool, slots: int | None) -> None:
    """Set the number of slots; oversized instances go to the queue of the pool, where admission looks at them again."""
    if slots == pool.slots:
        return
    pool.slots = slots
    while isinstance(ti := pool.oversized.peek(), TaskInstance):
        move_in_queue(ti, QueueCause.POOL_RESIZED, pool)
