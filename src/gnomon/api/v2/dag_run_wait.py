"""Waiting for the end of a run: one line of NDJSON for each look, until the run has ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Annotated

from anyio import to_thread
from fastapi import Query, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.account_places import AccountPlaces, NoPlace
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import answer_refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import AccessRefused, ApiResource, Permission
from gnomon.api.v2.logs import NDJSON
from gnomon.api.v2.lookup import find_dag_and_run
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.json_text import read_shown_json
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_results import RETURN_KEY, find_results
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import xcom_values

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["DagRun"])


INTERVAL_MIN_S = 0.5
"""A client that asks for lines more often gets them at this interval."""
WAITS_MAX = 1_000
"""The most waits of one process. Each keeps a connection open, and other requests need those too."""
LOOKS_PER_S = 100
"""All waits of the process together look at most so often: more waits look less often, and leave the threads to other requests."""


@router.get(
    "/wait",
    dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)],
    response_class=StreamingResponse,
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
def wait_dag_run_until_finished(
    dag_id: Id,
    dag_run_id: Id,
    request: Request,
    context: Context,
    user: CurrentUser,
    interval: Annotated[float, Query(gt=0, le=3600)],
    result: Annotated[list[str] | None, Query()] = None,
) -> StreamingResponse:
    """A line with the state of the run every `interval` seconds; the last one has what the tasks in `result` returned."""
    with context.database.read() as tx:
        dag, _run = find_dag_and_run(tx, dag_id, dag_run_id)
        for task_id in result or ():
            if task_id not in dag.task_numbers:
                raise task_not_found(dag_id, task_id, dag.task_numbers)

    credential = context.policy.find_credential(request)

    def look() -> dict[str, object]:
        identity = (
            credential.identify()
        )  # which does not change the secret of a session: the browser could not get the new one any more
        if identity is None:
            return {"state": "refused", "detail": "the login is not valid any more"}
        try:
            with context.database.read() as tx:
                require_role(context, tx, replace(user, identity=identity), dag_id, Role.VIEWER)
        except AccessRefused as refusal:  # the role was taken away
            return {"state": "refused", "detail": str(refusal)}
        return _look(context, dag_id, dag_run_id, result)

    return _WaitAnswer(_stream(look, max(interval, INTERVAL_MIN_S), context.open_waits), user.name, context.open_waits)


class _WaitAnswer(StreamingResponse):
    """The lines, for which a place of the account is kept until the client leaves."""

    def __init__(self, lines: AsyncIterator[str], account: str, open_waits: AccountPlaces) -> None:
        super().__init__(lines, media_type=NDJSON)
        self._account = account
        self._open_waits = open_waits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines, or 503 when there is no place."""
        try:
            self._open_waits.take(self._account, WAITS_MAX)
        except NoPlace as error:
            await answer_refusal(503, error.sentence)(scope, receive, send)
            return
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._open_waits.release(self._account)


async def _stream(
    look: Callable[[], dict[str, object]], interval: float, open_waits: AccountPlaces
) -> AsyncIterator[str]:
    """Between two looks no thread waits."""
    while True:
        line = await to_thread.run_sync(look)
        yield json.dumps(line, ensure_ascii=False) + "\n"
        if line["state"] in _OVER:
            return
        await asyncio.sleep(find_pause(interval, open_waits.count))


def find_pause(interval: float, waits: int) -> float:
    """Seconds until the next look of one of so many waits."""
    return max(interval, waits / LOOKS_PER_S)


_OVER = {*(state.value for state in FINISHED_RUN_STATES), "deleted", "refused"}


def _look(context: ApiContext, dag_id: str, run_id: str, result: list[str] | None) -> dict[str, object]:
    with context.database.read() as tx:
        try:
            dag, run = find_dag_and_run(tx, dag_id, run_id)
        except UserError:
            return {"state": "deleted"}
        if run.state not in FINISHED_RUN_STATES:
            return {"state": run.state.value}
        results = find_results(tx, dag, run) if result is None else _read_results(tx, dag, run, result)
        (shown,) = hide_stored_secrets(tx, [results])
    return {"state": run.state.value, "results": shown} if results else {"state": run.state.value}


def _read_results(tx: Transaction, dag: DagRecord, run: RunRecord, task_ids: list[str]) -> dict[str, object]:
    results: dict[str, object] = {}
    for xcom in xcom_values.read_xcoms(
        tx, run, RETURN_KEY, [task_id for task_id in task_ids if task_id in dag.task_numbers]
    ):
        value = read_shown_json(xcom.value)
        if xcom.map_index < 0:
            results[xcom.task_id] = value
        else:
            values = results.setdefault(xcom.task_id, [])
            assert isinstance(values, list)
            values.append(value)
    return results
