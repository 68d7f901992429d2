"""Assets that have the same name and another URI: the declaration that is older counts, and the others are errors of their DAGs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.model.assets import AssetKey
from gnomon.model.instants import Instant


class Declared(NamedTuple):
    """A DAG names an asset."""

    declared_at: Instant
    dag_id: str
    dag_pk: int
    asset: AssetKey
    place: str
    """`file:line`, or the file."""


def find_conflicts(declarations: Iterable[Declared]) -> dict[int, str]:
    """The error of each DAG (by dag_pk) that names an asset under a name that an older declaration has with another URI.

    Among declarations of the same time, that of the DAG whose id comes first counts. A DAG with several conflicts gets the first.
    """
    first: dict[str, Declared] = {}
    errors: dict[int, str] = {}
    for declared in sorted(declarations):
        first_declared = first.setdefault(declared.asset.name, declared)
        if first_declared.asset.uri != declared.asset.uri:
            errors.setdefault(
                declared.dag_pk,
                (
                    f"asset {declared.asset.name!r} has the uri {declared.asset.uri!r} in {declared.place} and the uri {first_declared.asset.uri!r} in "
                    f"{first_declared.place} (DAG {first_declared.dag_id!r}, which was first): give both the same uri, or rename one of them"
                ),
            )
    return errors
