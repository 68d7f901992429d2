"""The versions of a DAG, each with what it changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.ground.config.dag_bundles import DAGS_FOLDER_BUNDLE
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.timetables.stored_words import summarize_timetable
from gnomon.storage.store import Transaction
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.dag_pages import list_version_numbers
from gnomon.storage.store.parsed_files import dag_versions

_VALUE_MAX = 40
"""Characters of a value; longer ones are only named."""
_UNNAMED_FIELDS = frozenset({"effective_priority", "dag_id", "tasks", "groups", "edge_labels", "params", "start_wait"})
"""Fields that are computed from others, or compared in another way."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of a DAG."""

    dag_id: str
    version: int
    created_at: str | None
    hash: str
    newest: bool
    runs: int
    """Runs whose last tasks were those of this version."""
    changes: list[str]
    """What it changed in the version before."""
    bundle_name: str
    """The DAG bundle of its file."""
    bundle_version: str | None
    """The version of the bundle that made it; None: the bundle has no versions."""


def list_versions(tx: Transaction, dag: DagRecord) -> list[VersionRow]:
    """The versions of the DAG, newest first."""
    versions = dag_versions.list_versions(tx, dag.dag_pk)
    before = [*(older.spec for older in versions[1:]), None]
    return [
        VersionRow(
            dag_id=dag.dag_id,
            version=version.number,
            created_at=iso(version.created_at),
            hash=version.spec_hash,
            newest=version.is_newest,
            runs=version.run_count,
            changes=[
                render(change)
                for change in ([say("first_version")] if previous is None else describe_changes(previous, version.spec))
            ],
            bundle_name=version.bundle_name or DAGS_FOLDER_BUNDLE,
            bundle_version=version.bundle_version,
        )
        for version, previous in zip(versions, before, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """A version of a DAG without its runs."""

    version: int
    created_at: str | None
    is_newest: bool
    changes: list[Sentence]
    """What it changed in the version before."""
    bundle_name: str
    bundle_version: str | None


def list_newest_versions(tx: Transaction, dag: DagRecord, limit: int) -> tuple[list[VersionChanges], int]:
    """The newest `limit` versions of the DAG, newest first, and the number of all."""
    versions = list_version_numbers(tx, dag.dag_pk)
    specs = group_state.load_specs(tx, [version.version_pk for version in versions[: limit + 1]])
    rows = []
    for index, version in enumerate(versions[:limit]):
        before, after = (
            specs.get(versions[index + 1].version_pk) if index + 1 < len(versions) else None,
            specs.get(version.version_pk),
        )
        changes = (
            [say("first_kept_version" if version.number > 1 else "first_version")]
            if before is None or after is None
            else describe_changes(before, after)
        )
        rows.append(
            VersionChanges(
                version.number,
                iso(version.created_at),
                version.version_pk == dag.version_pk,
                changes,
                version.bundle_name or DAGS_FOLDER_BUNDLE,
                version.bundle_version,
            )
        )
    return rows, len(versions)


def describe_changes(before: DagSpec, after: DagSpec) -> list[Sentence]:
    """What is different in `after`, a sentence for each task and each argument."""
    changes = _compare_fields(before, after, None)
    old, new = ({task.task_id: task for task in spec.tasks} for spec in (before, after))
    changes += [say("task_is_added", task_id=task_id) for task_id in new if task_id not in old]
    changes += [say("task_is_removed", task_id=task_id) for task_id in old if task_id not in new]
    for task_id in new:
        if task_id in old:
            changes += _compare_fields(old[task_id], new[task_id], say("change_of_task", task_id=task_id))
    if not changes and before.params != after.params:
        changes.append(say("params_changed"))
    return changes or [say("inner_details_changed")]


def _compare_fields(before: DagSpec | TaskSpec, after: DagSpec | TaskSpec, subject: Sentence | None) -> list[Sentence]:
    changes = []
    for name in before.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if name in _UNNAMED_FIELDS or old == new:
            continue
        if name == "timetable":
            name, old, new = "schedule", *(render(summarize_timetable(timetable)) for timetable in (old, new))
        shown = _show(iso(old) if name in _INSTANTS else old), _show(iso(new) if name in _INSTANTS else new)
        if shown[0] != shown[1] and all(len(text) <= _VALUE_MAX for text in shown):
            change = say("value_changed", subject=subject, name=name, value=shown[0], other_value=shown[1])
        else:
            change = say("value_changed_somehow", subject=subject, name=name)
        changes.append(change)
    return changes


_INSTANTS = frozenset({"start_at", "end_at"})


def _show(value: Any) -> str:
    if isinstance(value, str):
        return value or "none"
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return "none" if value is None else msgspec.json.encode(value).decode()
