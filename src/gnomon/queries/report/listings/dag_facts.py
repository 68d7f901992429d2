"""What lists say about a DAG beside its rows: its spec without the tasks, kept in memory because a version seldom changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

import msgspec

from gnomon.model.spec import DagSpec
from gnomon.queries.report.waits.sensor_waits import TaskWait, list_task_waits
from gnomon.storage.store import Transaction
from gnomon.storage.store.change_journal import JournalExtent, is_any_dag_changed, read_extent
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.dag_pages import (
    NewestVersion,
    VersionRows,
    decode_version,
    read_file_paths,
    read_version_rows,
)

T = TypeVar("T")
_MISSING = object()

KEPT_MAX = 20_000
"""The most specs in memory."""
CHOSEN_MAX = 1_000
"""Users whose visible DAGs are in memory, and results of `derive`."""


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """The spec of a DAG without its tasks, and what its tasks have in common."""

    spec: DagSpec
    has_task_limits: bool
    """A task limits how many of its instances run at a time."""
    triggers: tuple[str, ...] = ()
    """The DAGs that its tasks trigger, each once."""
    pools: tuple[str, ...] = ()
    """The pools of its tasks, by name."""
    task_waits: tuple[TaskWait, ...] = ()
    """What its sensors wait for, and its markers."""
    task_ids: str = ""
    """The ids of its tasks, a line for each: one text takes less memory than a list."""

    @property
    def display_name(self) -> str:
        """The name for people."""
        return self.spec.display_name or self.spec.dag_id


@dataclass(frozen=True, slots=True)
class FactsOfAll:
    """The facts of every DAG, by its key. The same object as long as no DAG has changed."""

    by_dag: Mapping[int, VersionFacts]
    active: frozenset[int]
    """The DAGs that a file defines."""
    files: Mapping[int, str] = field(default_factory=dict)
    """By DAG, the path of its file."""
    chosen: dict[Hashable, Mapping[str, int]] = field(default_factory=dict, compare=False)
    """What `choose` has found, by its key."""
    derived: dict[Hashable, object] = field(default_factory=dict, compare=False)
    """What `derive` has computed, by its key."""

    def derive(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What the function returns, which must follow from these facts and the key alone. It is called only once for each `key`."""
        value = self.derived.get(key, _MISSING)
        if value is _MISSING:
            if len(self.derived) >= CHOSEN_MAX:
                self.derived.clear()
            value = self.derived[key] = compute()
        return cast("T", value)

    def choose(self, key: Hashable, is_chosen: Callable[[DagSpec], bool]) -> Mapping[str, int]:
        """By DAG id, the keys of the DAGs for which the function returns True. The function is called only once for each `key`."""
        dag_pks = self.chosen.get(key)
        if dag_pks is None:
            if len(self.chosen) >= CHOSEN_MAX:
                self.chosen.clear()
            dag_pks = {facts.spec.dag_id: dag_pk for dag_pk, facts in self.by_dag.items() if is_chosen(facts.spec)}
            self.chosen[key] = dag_pks
        return dag_pks


class VersionFactsCache:
    """Keeps the facts of the newest versions that were asked for."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], VersionFacts] = {}
        self._all: tuple[JournalExtent, VersionRows, FactsOfAll] | None = None
        self._guard = threading.Lock()

    def find_all(self, tx: Transaction) -> FactsOfAll:
        """The facts of every DAG: those in memory when the journal of changes names no DAG since, or the rows of all DAGs are as they were.

        Each transaction that changes the version, the file or the activity of a DAG adds a `DagChange` to the journal.
        """
        extent = read_extent(tx)
        with self._guard:
            last_facts = self._all
        if last_facts is not None and not is_any_dag_changed(tx, last_facts[0], extent):
            return self._keep(extent, *last_facts[1:])
        rows = read_version_rows(tx)
        if last_facts is not None and last_facts[1] == rows:
            return self._keep(extent, rows, last_facts[2])
        versions = [decode_version(row) for row in rows]
        paths = read_file_paths(tx)
        files = {row[0]: paths.get(row[4], "") for row in rows}
        facts_of_all = FactsOfAll(
            self.find(tx, versions), frozenset(version.dag_pk for version in versions if version.is_active), files
        )
        return self._keep(extent, rows, facts_of_all)

    def _keep(self, extent: JournalExtent, rows: VersionRows, facts: FactsOfAll) -> FactsOfAll:
        with self._guard:
            self._all = (extent, rows, facts)
        return facts

    def find(self, tx: Transaction, versions: Iterable[NewestVersion]) -> dict[int, VersionFacts]:
        """The facts of these versions, by DAG; reads only those that are not in memory."""
        wanted_versions = list(versions)
        with self._guard:
            in_memory = {
                version.dag_pk: facts
                for version in wanted_versions
                if (facts := self._kept.get((version.version_pk, version.input_hash))) is not None
            }
        missing = {version.version_pk: version for version in wanted_versions if version.dag_pk not in in_memory}
        read = {
            missing[version_pk]: _collect_facts(spec)
            for version_pk, spec in group_state.load_specs(tx, missing).items()
        }
        with self._guard:
            if len(self._kept) + len(read) > KEPT_MAX:
                self._kept.clear()
            self._kept.update(((version.version_pk, version.input_hash), facts) for version, facts in read.items())
        return in_memory | {version.dag_pk: facts for version, facts in read.items()}


def _collect_facts(spec: DagSpec) -> VersionFacts:
    limited = any(
        task.max_active_tis_per_dag is not None or task.max_active_tis_per_dagrun is not None for task in spec.tasks
    )
    triggers = tuple(dict.fromkeys(task.triggers_dag for task in spec.tasks if task.triggers_dag is not None))
    pools = tuple(sorted({task.pool for task in spec.tasks}))
    return VersionFacts(
        msgspec.structs.replace(spec, tasks=(), asset_watchers=()),
        limited,
        triggers,
        pools,
        list_task_waits(spec),
        "\n".join(task.task_id for task in spec.tasks),
    )
