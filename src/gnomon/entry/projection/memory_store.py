"""Stands where the scheduler's parts expect the database: the few statements that they use, answered from dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from gnomon.entry.projection.memory_assets import MemoryAssets
from gnomon.entry.projection.memory_runs import MemoryRuns, MemoryStatement
from gnomon.model.change_entries import ChangeEntry
from gnomon.model.records import DagRecord
from gnomon.model.sentences import say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.rules.engine.step_context import StepResult
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.errors import InvalidKey
from gnomon.storage.store.transaction import Row, RowCountCheck

UNUSED_STATEMENTS = frozenset(
    {
        "asset_events.add_aliases",
        "asset_events.add_assets",
        "asset_events.known",
        "asset_queue.consume",
        "backfills.uncovered",
        "commit.tallies",
        "event_log.skipped_slots",
        "commit.events",
        "newest_runs.put",
    }
)
"""Statements about what no decision reads: totals, the audit log, listings."""


_NO_SAVEPOINT = nullcontext()


class UnknownStatement(Exception):
    """A part of the scheduler uses a statement that the memory store does not have: add it to the module of its table."""


class MemoryTransaction:
    """A `Transaction` without isolation: one thread uses the store, and nothing is rolled back."""

    __slots__ = ("_statements", "change_entries", "notifies_on_commit")

    dialect = "memory"
    specs = None
    """No cache of decoded specs: `MemoryRuns` keeps what it answers with."""

    def __init__(self, statements: Mapping[str, MemoryStatement]) -> None:
        self._statements = statements
        self.change_entries: list[ChangeEntry] = []
        self.notifies_on_commit = False

    @property
    def cipher(self) -> Any:
        """A projection stores no value of an author, so it has no key."""
        raise InvalidKey(say("database_has_no_key"))

    def all(self, name: str, /, **parameters: object) -> list[Row]:
        """As `Transaction.all`."""
        rows: list[Row] = self._find(name)(**parameters) or []
        return rows

    def one(self, name: str, /, **parameters: object) -> Row | None:
        """As `Transaction.one`."""
        rows = self.all(name, **parameters)
        return rows[0] if rows else None

    def run(self, name: str, /, **parameters: object) -> int:
        """As `Transaction.run`."""
        return int(self._find(name)(**parameters) or 0)

    def many(self, name: str, rows: Sequence[Sequence[object]]) -> int:
        """As `Transaction.many`."""
        return int(self._find(name)(rows) or 0) if rows else 0

    def send(self, name: str, check: RowCountCheck | None = None, /, **parameters: object) -> None:
        """As `Transaction.send`, at once."""
        changed = self.run(name, **parameters)
        if check is not None:
            check(changed)

    def send_many(self, name: str, rows: Sequence[Sequence[object]], check: RowCountCheck | None = None) -> None:
        """As `Transaction.send_many`, at once."""
        changed = self.many(name, rows)
        if check is not None and rows:
            check(changed)

    def flush(self) -> None:
        """Nothing waits."""

    def savepoint(self) -> AbstractContextManager[None]:
        """As `Transaction.savepoint`. The statements of a plan that fails have no effect here before the failure: see `MemoryRuns.move_cursor`."""
        return _NO_SAVEPOINT

    def _find(self, name: str) -> MemoryStatement:
        statement = self._statements.get(name)
        if statement is None:
            if name in UNUSED_STATEMENTS:
                return _ignore
            raise UnknownStatement(name)
        return statement


class MemoryStore:
    """What a scheduler would have stored, as far as its later decisions read it; it takes the place of a `Database`."""

    dialect = "memory"

    def __init__(self) -> None:
        self.runs = MemoryRuns()
        self.assets = MemoryAssets(self.runs)
        self._statements: dict[str, MemoryStatement] = {
            **self.runs.statements(),
            **self.assets.statements(),
        }

    def put_dag(self, record: DagRecord) -> None:
        """Add the DAG or its new version. Of its runs is kept what DAGs that wait for it may ask."""
        self.runs.put_dag(record)
        self.assets.put_dag(record)

    def take_asset_mail(self) -> list[tuple[int, ...]]:
        """The DAGs (dag_pk) into whose queues asset events were put since the last call, one tuple for each message."""
        mail, self.assets.mail = self.assets.mail, []
        return mail

    def apply_result(self, result: StepResult) -> None:
        """Keep what later decisions read of the result of one step."""
        changes = result.changes
        if self.runs.watched_tasks:
            self.runs.update_tasks(changes.tasks, changes.tasks_deleted)
            self.runs.update_instances(result.changed_instances)
            self.runs.update_followed(result.followed_tasks)
        for run in changes.runs:
            if run.state in FINISHED_RUN_STATES or run.clear_number:
                self.runs.update_run(run)
        if changes.asset_events:
            publish_events(MemoryTransaction(self._statements), changes.asset_events)  # type: ignore[arg-type]

    @contextmanager
    def read(self) -> Iterator[MemoryTransaction]:
        """As `Database.read`."""
        yield MemoryTransaction(self._statements)

    @contextmanager
    def write(self) -> Iterator[MemoryTransaction]:
        """As `Database.write`."""
        yield MemoryTransaction(self._statements)

    @contextmanager
    def scheduler_write(self, _scheduler_id: str) -> Iterator[MemoryTransaction]:
        """As `Database.scheduler_write`: nobody else owns a group."""
        yield MemoryTransaction(self._statements)

    def has_key(self) -> bool:
        """Nothing is encrypted in memory."""
        return True


def _ignore(*_rows: object, **_parameters: object) -> None:
    return None
