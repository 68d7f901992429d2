"""What is different in a run from the last successful run before it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_dag_and_run, refuse_wildcard
from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.json_text import read_shown_json
from gnomon.model.records import RunRecord
from gnomon.model.serde.text_form import describe_stored
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.run_differences import RunDifferences, compare_with_last_success
from gnomon.storage.store import Transaction

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["Run"])


class ParamDifferenceAnswer(Answer):
    """A param with its values; null for a run that does not have it."""

    name: str
    before: Any
    after: Any


class XComDifferenceAnswer(Answer):
    """An XCom that both runs have."""

    task_id: str
    key: str
    before: Any
    after: Any
    is_long: bool
    """A value is too long to be told: both are null."""


class RunDifferencesAnswer(Answer):
    """What differs from the newest successful run before this one; null and [] where nothing does."""

    run_id: str | None
    """Of the successful run; null: there is none."""
    run_after: datetime | None
    durations: list[float | None] | None
    """Seconds from the start to the end of the successful run and of this one, null while it goes on."""
    versions: list[int | None] | None
    params: list[ParamDifferenceAnswer]
    xcoms: list[XComDifferenceAnswer]
    """Those without map index."""
    has_more_xcoms: bool


# XComs need the most of what the answer tells
@router.get("/differences", dependencies=[requires(Permission.READ, ApiResource.XCOM)])
def get_differences(dag_id: Id, dag_run_id: Id, context: Context) -> RunDifferencesAnswer:
    """What is different in the run from the newest successful run of its DAG before it: duration, version of the DAG, params and XComs."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        _dag, run = find_dag_and_run(tx, dag_id, dag_run_id)
        differences = compare_with_last_success(tx, run)
        return _NONE if differences is None else _build(tx, run, differences)


_NONE = RunDifferencesAnswer(
    run_id=None, run_after=None, durations=None, versions=None, params=[], xcoms=[], has_more_xcoms=False
)


def _build(tx: Transaction, run: RunRecord, differences: RunDifferences) -> RunDifferencesAnswer:
    earlier = differences.earlier
    return RunDifferencesAnswer(
        run_id=earlier.run_id,
        run_after=to_datetime(earlier.run_after),
        durations=[_measure(earlier), _measure(run)],
        versions=None if differences.versions is None else list(differences.versions),
        params=[
            ParamDifferenceAnswer(name=param.name, before=param.before, after=param.after)
            for param in differences.params
        ],
        xcoms=[
            XComDifferenceAnswer(
                task_id=xcom.task_id, key=xcom.key, is_long=is_long, before=_show(tx, before), after=_show(tx, after)
            )
            for xcom in differences.xcoms
            for is_long in (xcom.before is None or xcom.after is None,)
            for before, after in ((None, None) if is_long else (xcom.before, xcom.after),)
        ],
        has_more_xcoms=differences.has_more_xcoms,
    )


def _measure(run: RunRecord) -> float | None:
    if run.started_at is None or run.ended_at is None:
        return None
    return (run.ended_at - run.started_at) / SECOND


def _show(tx: Transaction, text: str | None) -> Any:
    """The value as the XCom views tell it, without stored secrets."""
    return None if text is None else hide_stored_secrets(tx, describe_stored(read_shown_json(text)))
