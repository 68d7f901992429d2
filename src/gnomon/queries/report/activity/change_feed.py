"""Reads the journal of changes in the order of the commits, and gives each change its names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gnomon.model.change_entries import (
    AssetEventPublished,
    BackfillNews,
    ChangeEntry,
    DagChange,
    ImportErrorsChange,
    JournalRow,
    LoginsChange,
    ManyTaskInstancesChange,
    PoolChange,
    RunChange,
    TaskInstanceChange,
)
from gnomon.model.instants import iso
from gnomon.model.states import RUN_STATES_BY_CODE, TASK_STATES_BY_CODE
from gnomon.queries.report.listings.dag_facts import VersionFactsCache
from gnomon.storage.store import Transaction
from gnomon.storage.store.change_journal import (
    list_open_writers,
    read_bounds,
    read_dag_names,
    read_rows,
    read_run_names,
    read_settled_key,
)
from gnomon.storage.store.ownership.group_state import load_task_numbers
from gnomon.storage.store.pages.dag_pages import list_newest_versions

ROWS_READ_MAX = 500
"""Rows of the journal that one call reads at most."""
_LAST_OF_ROW = 2**62
NAMES_KEPT_MAX = 50_000
"""Runs whose names are kept in memory."""


@dataclass(frozen=True, slots=True)
class DagLabel:
    """What decides whether an account may see a DAG."""

    dag_id: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """One change, as users see it."""

    change_pk: int
    number: int
    """Its number among the changes of its transaction; with `change_pk` the place in the order of all changes."""
    kind: str
    """`dag_run`, `task_instance`, `task_instances`, `dag`, `import_error`, `backfill`, `pool` or `asset_event`."""
    dags: tuple[DagLabel, ...]
    """The DAGs that it is about; empty: only accounts that see every DAG may see it."""
    data: dict[str, object]


@dataclass(slots=True)
class _UndecidedKeys:
    """Keys up to `last` may be missing because these transactions have not ended."""

    last: int
    writers: set[str]


class ChangeFeed:
    """A reader of the journal. `read_next` continues where the last call ended; it needs `Database.autocommit`, whose queries each see the newest rows."""

    def __init__(self, facts: VersionFactsCache) -> None:
        self._facts = facts
        self.change_pk = 0
        """The key of the last row that was read."""
        self.has_more = False
        """The last call left rows unread: call again, at once or, if a key is missing, in a few milliseconds."""
        self.has_lost = False
        """Rows were deleted before the last call could read them; what it returned came after these."""
        self.floor: tuple[int, int] = (0, 0)
        """The place before the first change that is read."""
        self.changed_accounts: frozenset[int] = frozenset()
        """The accounts whose logins have ended, or permit something else, by the rows of the last call."""
        self._undecided: _UndecidedKeys | None = None
        self._dag_ids: dict[int, str] = {}
        self._labels: dict[str, DagLabel] = {}
        self._runs: dict[int, tuple[int, str]] = {}
        self._tasks: dict[int, dict[int, str]] = {}

    def begin(self, tx: Transaction, rows_back: int) -> None:
        """Have the next call read the newest `rows_back` rows."""
        oldest, newest = read_bounds(tx)
        self.change_pk = max(oldest - 1, newest - rows_back)
        self.floor = (self.change_pk, _LAST_OF_ROW if self.change_pk else 0)
        self._undecided = None

    def read_next(self, tx: Transaction) -> list[ChangeEvent]:
        """The next changes, in the order of their commits. A change of a run that does not exist any more is left out, but for its deletion."""
        journal_rows = read_rows(tx, self.change_pk, ROWS_READ_MAX)
        self.has_lost = False
        self.changed_accounts = frozenset()
        if journal_rows and journal_rows[0].change_pk > self.change_pk + 1 and read_bounds(tx)[0] > self.change_pk + 1:
            self.floor = (journal_rows[0].change_pk - 1, _LAST_OF_ROW)
            self.has_lost = True
        rows = self._select_decided(tx, journal_rows)
        self.has_more = self._undecided is not None or len(journal_rows) == ROWS_READ_MAX
        if not rows:
            return []
        self._load_names(tx, [entry for row in rows for entry in row.entries])
        self.change_pk = rows[-1].change_pk
        self.changed_accounts = frozenset(
            entry.account_pk for row in rows for entry in row.entries if isinstance(entry, LoginsChange)
        )
        return [event for row in rows for event in self._describe_row(row)]

    def _select_decided(self, tx: Transaction, rows: list[JournalRow]) -> list[JournalRow]:
        """The rows before the first missing key; all that were seen when a key is missing for good (see `store/change_journal.py`)."""
        if not rows or rows[-1].change_pk - self.change_pk == len(rows):
            self._undecided = None
            return rows
        writers = list_open_writers(tx)
        if self._undecided is None:
            self._undecided = _UndecidedKeys(rows[-1].change_pk, writers)
        self._undecided.writers &= writers
        if not self._undecided.writers:
            last, self._undecided = self._undecided.last, None
            return [row for row in read_rows(tx, self.change_pk, ROWS_READ_MAX) if row.change_pk <= last]
        return [row for number, row in enumerate(rows, self.change_pk + 1) if row.change_pk == number]

    # ---- names -------------------------------------------------------------------------------------------------------
    def _load_names(self, tx: Transaction, entries: Sequence[ChangeEntry]) -> None:
        self._forget_changed(entries)
        unknown = {
            entry.run_pk
            for entry in entries
            if isinstance(entry, TaskInstanceChange | ManyTaskInstancesChange | RunChange)
            and entry.run_pk not in self._runs
        }
        if len(self._runs) + len(unknown) > NAMES_KEPT_MAX:
            self._runs.clear()
            unknown = {
                entry.run_pk
                for entry in entries
                if isinstance(entry, TaskInstanceChange | ManyTaskInstancesChange | RunChange)
            }
        for entry in entries:
            if isinstance(entry, RunChange) and entry.run_id is not None:
                self._runs[entry.run_pk] = (entry.dag_pk, entry.run_id)
                unknown.discard(entry.run_pk)
        self._runs.update(read_run_names(tx, unknown))
        dag_pks = {entry.dag_pk for entry in entries if isinstance(entry, RunChange | DagChange | BackfillNews)}
        dag_pks.update(
            self._runs[entry.run_pk][0]
            for entry in entries
            if isinstance(entry, TaskInstanceChange | ManyTaskInstancesChange) and entry.run_pk in self._runs
        )
        self._load_dags(tx, dag_pks, _list_named_dags(entries))
        self._load_tasks(tx, entries)

    def _forget_changed(self, entries: Sequence[ChangeEntry]) -> None:
        """A DAG that changed may have other tags and further tasks. A deleted one keeps its label for its last events."""
        for entry in entries:
            if isinstance(entry, DagChange):
                self._tasks.pop(entry.dag_pk, None)
                if entry.dag_id is not None:
                    self._dag_ids[entry.dag_pk] = entry.dag_id
                if entry.what != "deleted":
                    self._labels.pop(self._dag_ids.get(entry.dag_pk, ""), None)

    def _load_dags(self, tx: Transaction, dag_pks: Collection[int], dag_ids: Collection[str]) -> None:
        self._dag_ids.update(read_dag_names(tx, [dag_pk for dag_pk in dag_pks if dag_pk not in self._dag_ids]))
        all_ids = {*dag_ids, *(self._dag_ids[dag_pk] for dag_pk in dag_pks if dag_pk in self._dag_ids)}
        missing = sorted(all_ids - self._labels.keys())
        if missing:
            tags_by_id = {
                facts.spec.dag_id: facts.spec.tags
                for facts in self._facts.find(tx, list_newest_versions(tx, missing)).values()
            }
            self._labels.update((dag_id, DagLabel(dag_id, tuple(tags_by_id.get(dag_id, ())))) for dag_id in missing)

    def _load_tasks(self, tx: Transaction, entries: Iterable[ChangeEntry]) -> None:
        missing = set()
        for entry in entries:
            if isinstance(entry, TaskInstanceChange) and entry.run_pk in self._runs:
                dag_pk = self._runs[entry.run_pk][0]
                if entry.task_no not in self._tasks.get(dag_pk, {}):
                    missing.add(dag_pk)
        for dag_pk, numbers in load_task_numbers(tx, missing).items():
            self._tasks[dag_pk] = {number: task_id for task_id, number in numbers.items()}

    # ---- events ------------------------------------------------------------------------------------------------------
    def _describe_row(self, row: JournalRow) -> list[ChangeEvent]:
        events = []
        for number, entry in enumerate(row.entries):
            described = self._describe(entry)
            if described is not None:
                kind, labels, data = described
                events.append(ChangeEvent(row.change_pk, number, kind, labels, {**data, "at": iso(row.at)}))
        return events

    def _describe(self, entry: ChangeEntry) -> tuple[str, tuple[DagLabel, ...], dict[str, object]] | None:
        """Kind, DAGs and fields of the event; None when what changed does not exist any more."""
        match entry:
            case TaskInstanceChange() | ManyTaskInstancesChange():
                return self._describe_task_change(entry)
            case RunChange():
                return self._describe_run_change(entry)
            case DagChange():
                return self._with_dag("dag", entry.dag_pk, {"change": entry.what})
            case BackfillNews():
                return self._with_dag(
                    "backfill", entry.dag_pk, {"backfill_id": entry.backfill_pk, "change": entry.what}
                )
            case ImportErrorsChange():
                return (
                    "import_error",
                    tuple(self._labels[dag_id] for dag_id in entry.dag_ids),
                    {"file": entry.path, "errors": entry.count},
                )
            case LoginsChange():
                return None
            case PoolChange():
                return "pool", (), {"pool": entry.name, "change": entry.what}
            case AssetEventPublished():
                return self._describe_asset_event(entry)

    def _with_dag(
        self, kind: str, dag_pk: int, data: dict[str, object]
    ) -> tuple[str, tuple[DagLabel, ...], dict[str, object]] | None:
        dag_id = self._dag_ids.get(dag_pk)
        return None if dag_id is None else (kind, (self._labels[dag_id],), {"dag_id": dag_id, **data})

    def _describe_run_change(self, entry: RunChange) -> tuple[str, tuple[DagLabel, ...], dict[str, object]] | None:
        named = self._runs.get(entry.run_pk)
        if named is None:
            return None
        state = "deleted" if entry.state is None else RUN_STATES_BY_CODE[entry.state].value
        return self._with_dag("dag_run", entry.dag_pk, {"run_id": named[1], "state": state})

    def _describe_task_change(
        self, entry: TaskInstanceChange | ManyTaskInstancesChange
    ) -> tuple[str, tuple[DagLabel, ...], dict[str, object]] | None:
        named = self._runs.get(entry.run_pk)
        if named is None:
            return None
        dag_pk, run_id = named
        if isinstance(entry, ManyTaskInstancesChange):
            return self._with_dag("task_instances", dag_pk, {"run_id": run_id, "count": entry.count})
        task_id = self._tasks.get(dag_pk, {}).get(entry.task_no)
        if task_id is None:
            return None
        state = "deleted" if entry.state is None else getattr(TASK_STATES_BY_CODE.get(entry.state), "value", None)
        return self._with_dag(
            "task_instance",
            dag_pk,
            {
                "run_id": run_id,
                "task_id": task_id,
                "map_index": entry.map_index,
                "state": state,
                "try_number": entry.try_number,
            },
        )

    def _describe_asset_event(self, entry: AssetEventPublished) -> tuple[str, tuple[DagLabel, ...], dict[str, object]]:
        data: dict[str, object] = {
            "name": entry.name,
            "uri": entry.uri,
            "source_dag_id": entry.source_dag_id,
            "source_run_id": entry.source_run_id,
            "source_task_id": entry.source_task_id,
        }
        return "asset_event", () if entry.source_dag_id is None else (self._labels[entry.source_dag_id],), data


def _list_named_dags(entries: Iterable[ChangeEntry]) -> list[str]:
    """The ids of DAGs that entries name by id."""
    dag_ids: list[str] = []
    for entry in entries:
        if isinstance(entry, ImportErrorsChange):
            dag_ids += entry.dag_ids
        elif isinstance(entry, AssetEventPublished) and entry.source_dag_id is not None:
            dag_ids.append(entry.source_dag_id)
    return dag_ids


def format_place(change_pk: int, number: int) -> str:
    """The id of an event: its place in the order of all changes."""
    return f"{change_pk}.{number}"


def find_present_place(tx: Transaction) -> str:
    """The place after all changes that this transaction sees, as the id of an event: a stream from there has every change that it does not see."""
    return format_place(read_settled_key(tx), _LAST_OF_ROW)


def parse_place(text: str) -> tuple[int, int] | None:
    """The place that an id names; None when it is not such an id."""
    first, dot, second = text.strip().partition(".")
    if not dot or not (first.isascii() and first.isdigit() and second.isascii() and second.isdigit()) or len(text) > 40:
        return None
    return int(first), int(second)
