"""What one transaction changed, as the journal of changes keeps it: small records with keys instead of names."""

from __future__ import annotations

import msgspec

from gnomon.model.instants import Instant


class RunChange(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """A run was created, changed or deleted."""

    dag_pk: int
    run_pk: int
    state: int | None
    """Its state code; None: the run was deleted."""
    run_id: str | None = None
    """None: to be read with the key."""


class TaskInstanceChange(msgspec.Struct, frozen=True, array_like=True, tag="t"):
    """A task instance changed."""

    run_pk: int
    task_no: int
    map_index: int
    state: int | None
    """Its state code; None: the row was deleted, because map indices take its place."""
    try_number: int = 0


class ManyTaskInstancesChange(msgspec.Struct, frozen=True, array_like=True, tag="m"):
    """So many task instances of a run changed in one transaction that they are not listed."""

    run_pk: int
    count: int


class DagChange(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """A DAG changed."""

    dag_pk: int
    what: str
    """`updated`, `paused`, `unpaused`, `deactivated` or `deleted`."""
    dag_id: str | None = None
    """None: to be read with the key."""


class ImportErrorsChange(msgspec.Struct, frozen=True, array_like=True, tag="f"):
    """The errors of a file changed."""

    path: str
    count: int
    """The number of its errors now."""
    dag_ids: tuple[str, ...] = ()
    """The DAGs that the file defines, or has defined."""


class BackfillNews(msgspec.Struct, frozen=True, array_like=True, tag="b"):
    """A backfill changed."""

    dag_pk: int
    backfill_pk: int
    what: str
    """`created`, `paused`, `unpaused`, `cancelled`, `advanced` or `ended`."""


class PoolChange(msgspec.Struct, frozen=True, array_like=True, tag="p"):
    """The settings of a pool changed."""

    name: str
    what: str
    """`updated` or `deleted`."""


class AssetEventPublished(msgspec.Struct, frozen=True, array_like=True, tag="a"):
    """An asset has a new event."""

    name: str
    uri: str
    source_dag_id: str | None = None
    source_run_id: str | None = None
    source_task_id: str | None = None


class LoginsChange(msgspec.Struct, frozen=True, array_like=True, tag="l"):
    """Logins of an account have ended, or permit something else: streams that it has open are checked. No stream shows it."""

    account_pk: int


ChangeEntry = (
    LoginsChange
    | RunChange
    | TaskInstanceChange
    | ManyTaskInstancesChange
    | DagChange
    | ImportErrorsChange
    | BackfillNews
    | PoolChange
    | AssetEventPublished
)
"""One change."""


class JournalRow(msgspec.Struct, frozen=True):
    """The changes of one transaction."""

    change_pk: int
    at: Instant
    entries: tuple[ChangeEntry, ...]
