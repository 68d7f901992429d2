"""What is different in a run from the last run of its DAG before it that was a success: where to look first when it failed or took long."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunState
from gnomon.queries.report.listings.audit_list import hide_in_value
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records.dag_runs import find_previous_run
from gnomon.storage.store.dag_records.xcom_values import XComDifference, list_differences
from gnomon.storage.store.pages.dag_pages import list_version_numbers

XCOMS_MAX = 50
"""The most XComs of one answer."""
XCOMS_LOOKED_AT = 1_000
"""The first XComs of the run, which are compared."""
VALUE_MAX = 300
"""A longer XCom is told without its values."""


@dataclass(frozen=True, slots=True)
class ParamDifference:
    """A param that the runs have with different values. None: the run does not have it; one that is null is taken as missing."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class RunDifferences:
    """What differs, and nothing that is equal."""

    earlier: RunRecord
    versions: tuple[int | None, int | None] | None
    """The numbers of the versions of the DAG; None: both have the same."""
    params: list[ParamDifference]
    xcoms: list[XComDifference]
    has_more_xcoms: bool


def compare_with_last_success(tx: Transaction, run: RunRecord) -> RunDifferences | None:
    """The differences from the newest successful run before this one; None when there is none."""
    earlier = find_previous_run(tx, run, DagRunState.SUCCESS)
    if earlier is None:
        return None
    xcoms = list_differences(tx, run, earlier, length=VALUE_MAX, looked_at=XCOMS_LOOKED_AT, limit=XCOMS_MAX + 1)
    return RunDifferences(
        earlier,
        _compare_versions(tx, earlier, run),
        _compare_params(earlier, run),
        xcoms[:XCOMS_MAX],
        len(xcoms) > XCOMS_MAX,
    )


def _compare_versions(tx: Transaction, earlier: RunRecord, run: RunRecord) -> tuple[int | None, int | None] | None:
    if earlier.version_pk == run.version_pk or run.version_pk is None:
        return None
    numbers = {version.version_pk: version.number for version in list_version_numbers(tx, run.dag_pk)}
    return None if earlier.version_pk is None else numbers.get(earlier.version_pk), numbers.get(run.version_pk)


def _compare_params(earlier: RunRecord, run: RunRecord) -> list[ParamDifference]:
    before, after = hide_in_value(earlier.conf, hide_uri_passwords), hide_in_value(run.conf, hide_uri_passwords)
    return [
        ParamDifference(name, before.get(name), after.get(name))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
