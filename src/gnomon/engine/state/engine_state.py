"""All that one scheduler keeps in memory: DAGs, unfinished runs, pools, workers, one heap of times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.engine.state.limits import Pool
from gnomon.engine.state.priority_queue import PriorityQueue
from gnomon.engine.state.queue_moves import move_in_queue
from gnomon.engine.state.queue_state import QueueCause
from gnomon.engine.state.subscriptions import DagSubscriptions
from gnomon.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Bounds that hold for all DAGs of a scheduler."""

    parallelism: int | None = 32
    """Live attempts at once; None: no bound."""
    max_admissions_per_step: int = 256
    """[scheduler] max_tis_per_query: the most that one admission takes."""
    cancel_grace_s: float = 60.0
    """[core] killed_task_cleanup_time."""


class WorkerCapacity:
    """One worker incarnation as the owner sees it."""

    __slots__ = ("is_reachable", "slots", "used_slots", "worker_id")

    def __init__(self, worker_id: str, slots: int) -> None:
        self.worker_id = worker_id
        self.slots = slots
        self.used_slots = 0
        self.is_reachable = True


class EngineState:
    """What the engine works on. Groups come and go by `engine.load`; everything else only by a step."""

    def __init__(self, limits: EngineLimits) -> None:
        self.limits = limits
        self.dags: dict[int, Dag] = {}
        self.runs: dict[int, DagRun] = {}
        self.attempts: dict[str, TaskInstance] = {}
        """Live attempts by id."""
        self.pools: dict[str, Pool] = {}
        self.workers: dict[str, WorkerCapacity] = {}
        self.epochs: dict[int, int] = {}
        """Owned groups and the epoch of this ownership."""
        self.timers: PriorityQueue[TaskInstance | DagRun] = PriorityQueue()
        """By instant: who wants to be called again then, unless it has left its place by then."""
        self.subscriptions: dict[str, DagSubscriptions] = {}
        """Who waits for slots of the DAGs of the owned groups, there or not, by DAG id."""
        self.live_attempt_count = 0
        self._dag_pks: dict[str, int] = {}

    def add_dag(self, record: DagRecord) -> Dag:
        """A DAG that was not in memory, without its runs."""
        dag = self.dags[record.dag_pk] = Dag(record)
        self._dag_pks[record.dag_id] = record.dag_pk
        return dag

    def find_dag(self, dag_id: str) -> Dag | None:
        """The DAG of that id, if it is in memory."""
        dag_pk = self._dag_pks.get(dag_id)
        return None if dag_pk is None else self.dags.get(dag_pk)

    def get_pool(self, name: str) -> Pool:
        """The pool of that name; one that does not exist has no slots."""
        pool = self.pools.get(name)
        if pool is None:
            pool = self.pools[name] = Pool(name, None)
        return pool

    def update_pools(self, records: Iterable[PoolRecord]) -> None:
        """Take over what the store says of the pools; ready cells stay where they are."""
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

    def set_timer(self, at: Instant, subject: TaskInstance | DagRun) -> None:
        """Call the subject again at `at`, unless it has left its place by then."""
        self.timers.push(at, subject)

    def next_timer(self) -> Instant | None:
        at: Instant | None = self.timers.peek_key()
        return at


def _resize_pool(pool: Pool, slots: int | None) -> None:
    """Set the number of slots; oversized instances go to the queue of the pool, where admission looks at them again."""
    if slots == pool.slots:
        return
    pool.slots = slots
    while isinstance(ti := pool.oversized.peek(), TaskInstance):
        move_in_queue(ti, QueueCause.POOL_RESIZED, pool)
