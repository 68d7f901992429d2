"""What lists say about a DAG beside its rows: its spec without the tasks, kept in memory because a version seldom changes."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from gnomon.model.spec import DagSpec
from gnomon.store import Transaction
from gnomon.store.ownership import group_state
from gnomon.store.pages.dag_pages import NewestVersion

KEPT_MAX = 20_000
"""The most specs in memory."""


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """The spec of a DAG without its tasks, and what its tasks have in common."""

    spec: DagSpec
    has_task_limits: bool
    """A task limits how many of its instances run at a time."""

    @property
    def display_name(self) -> str:
        """The name for people."""
        return self.spec.display_name or self.spec.dag_id


class VersionFactsCache:
    """Keeps the facts of the newest versions that were asked for."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], VersionFacts] = {}
        self._guard = threading.Lock()

    def find(self, tx: Transaction, versions: Iterable[NewestVersion]) -> dict[int, VersionFacts]:
        """The facts of these versions, by DAG; reads only those that are not in memory."""
        wanted = list(versions)
        with self._guard:
            found = {one.dag_pk: kept for one in wanted if (kept := self._kept.get((one.version_pk, one.input_hash))) is not None}
        missing = {one.version_pk: one for one in wanted if one.dag_pk not in found}
        read = {missing[version_pk]: _collect_facts(spec) for version_pk, spec in group_state.load_specs(tx, missing).items()}
        with self._guard:
            if len(self._kept) + len(read) > KEPT_MAX:
                self._kept.clear()
            self._kept.update(((one.version_pk, one.input_hash), facts) for one, facts in read.items())
        return found | {one.dag_pk: facts for one, facts in read.items()}


def _collect_facts(spec: DagSpec) -> VersionFacts:
    limited = any(task.max_active_tis_per_dag is not None or task.max_active_tis_per_dagrun is not None for task in spec.tasks)
    return VersionFacts(msgspec.structs.replace(spec, tasks=(), asset_watchers=()), limited)
