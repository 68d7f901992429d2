"""Baselines that were made on the page, over the API or by the command line, with the history of each definition."""

from __future__ import annotations

import msgspec

from gnomon.model.baseline_specs import BaselineSpec, mark_stored
from gnomon.model.baselines import BaselineVersion
from gnomon.model.instants import Instant
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.transaction import Row, Transaction

VERSIONS_MAX = 500
"""So many versions of one baseline are kept, the newest."""
DUE_TIMES_MAX = 1_000
"""So many due times of a changed baseline are looked through for those that are not over."""
_decoder = msgspec.json.Decoder(BaselineSpec)


def list_stored(tx: Transaction) -> list[BaselineVersion]:
    """The baselines that are not deleted, by name."""
    return [_decode(row) for row in tx.all("baselines.stored")]


def list_specs(tx: Transaction) -> list[BaselineSpec]:
    """Their definitions, by name."""
    return [version.spec for version in list_stored(tx) if version.spec is not None]


def list_versions(tx: Transaction, baseline: str, limit: int = VERSIONS_MAX) -> list[BaselineVersion]:
    """The versions of a baseline, newest first; the newest has no definition after a deletion. Empty: there never was one."""
    return [_decode(row) for row in tx.all("baselines.versions", baseline=baseline, limit=limit)]


def find_spec(tx: Transaction, baseline: str) -> BaselineSpec | None:
    """The definition; None when there is none, or it was deleted."""
    newest = list_versions(tx, baseline, 1)
    return newest[0].spec if newest else None


def add_version(tx: Transaction, name: str, spec: BaselineSpec | None, at: Instant, by: str) -> bool:
    """Store a definition, or a deletion (None), as the newest version; False when another transaction has done so meanwhile.

    Due times that are not over are deleted with their predictions if they were about another promise; what was met or broken stays.
    """
    versions = list_versions(tx, name, 1)
    number = versions[0].version + 1 if versions else 1
    body = None if spec is None else msgspec.json.encode(spec).decode()
    if not tx.run("baselines.add_version", baseline=name, version=number, changed_at=at, changed_by=by, body=body):
        return False
    tx.run("baselines.remove_versions", baseline=name, version=number - VERSIONS_MAX)
    before = versions[0].spec if versions else None
    if spec is None or before is None or not spec.has_same_due_times(before):
        for record in baseline_states.list_states_of(tx, name, DUE_TIMES_MAX):
            if not record.is_final:
                baseline_states.remove_due_time(tx, name, record.due_at)
    return True


def remove_deleted(tx: Transaction, before: Instant) -> None:
    """Delete the history of baselines that were deleted before that instant."""
    tx.run("baselines.remove_deleted", before=before)


def _decode(row: Row) -> BaselineVersion:
    name, version, at, by, body = row
    return BaselineVersion(name, version, at, by, None if body is None else mark_stored(_decoder.decode(body)))
