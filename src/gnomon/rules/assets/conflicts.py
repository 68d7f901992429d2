"""Assets that have the same name and another URI: the declaration that is older counts, and the others are errors of their DAGs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.model.assets import AssetKey
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say


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
                render(
                    say(
                        "asset_has_two_uris",
                        asset=declared.asset.name,
                        uri=declared.asset.uri,
                        place=declared.place,
                        url=first_declared.asset.uri,
                        elsewhere=first_declared.place,
                        dag=first_declared.dag_id,
                    )
                ),
            )
    return errors
