"""DagRunTriggerException: creates the run of another DAG that a task requests, and waits for it."""

from __future__ import annotations

import re
import time
from typing import Any, cast

import msgspec

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.operators.page_links import XCOM_RUN_ID
from gnomon.authoring.operators.trigger_dag_run import DagIsPaused
from gnomon.authoring.operators.triggers.external_task import DagStateTrigger
from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.arguments.notset import ArgNotSet
from gnomon.authoring.sdk.arguments.params import check_conf
from gnomon.authoring.sdk.connections import channel
from gnomon.ground.clock import SystemClock
from gnomon.model.errors.authoring import (
    AirflowException,
    AirflowSkipException,
    DagRunAlreadyExists,
    DagRunTriggerException,
    TaskDeferred,
)
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import find_run_id_fault
from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.task_api_requests import GetDag, GetRequest, GetRunState, TriggerRun
from gnomon.rules.dependencies.shape import find_slotless_reason
from gnomon.rules.planning import Slot, build_manual_run, find_slot_by_logical_date, infer_manual_run
from gnomon.rules.timetables.registry import build

CLEAR_S = 60.0
"""How long the task waits until the scheduler that owns the run has cleared it."""
CLEAR_POLL_S = 0.2
log = RunnerLog("gnomon.task")


def trigger_dag_run(trigger_exception: DagRunTriggerException, context: Any) -> None:
    """Create or clear the run, and wait for it if the exception says so.

    Raises AirflowException, AirflowSkipException or TaskDeferred, as TriggerDagRunOperator does under Airflow.
    """
    dag_id = trigger_exception.trigger_dag_id
    target = _load_target(dag_id)
    if getattr(trigger_exception, "fail_when_dag_is_paused", False) and target["paused"]:
        raise DagIsPaused(dag_id)
    answer = cast("dict[str, Any]", channel.ask(_create_request(trigger_exception, target)))
    run_id = answer["run_id"]
    if answer["outcome"] == "exists":
        if getattr(trigger_exception, "skip_when_already_exists", False):
            raise AirflowSkipException(
                f"DAG {dag_id!r} has a run {run_id!r} already, and skip_when_already_exists is set."
            )
        raise DagRunAlreadyExists(
            f"DAG {dag_id!r} has a run {run_id!r} with this run id or logical date already; give another trigger_run_id or "
            "logical_date, or set reset_dag_run or skip_when_already_exists"
        )
    if answer["outcome"] == "clearing":
        _wait_for_clearing(dag_id, run_id, answer["request"])
    log.info("%s run %s of DAG %s", "cleared" if answer["outcome"] == "clearing" else "created", run_id, dag_id)
    context["ti"].xcom_push(key=XCOM_RUN_ID, value=run_id)
    if getattr(trigger_exception, "wait_for_completion", False):
        _wait_for_completion(trigger_exception, run_id)


def _load_target(dag_id: str) -> dict[str, Any]:
    target = cast("dict[str, Any] | None", channel.ask(GetDag(dag_id=dag_id)))
    if target is None:
        raise AirflowException(f"there is no DAG {dag_id!r}; `gnomon dags list` shows what there is")
    return {
        **target,
        "spec": msgspec.convert(target["spec"], DagSpec),
        "cursor": msgspec.convert(target["cursor"], Cursor | None),
    }


def _create_request(trigger_exception: DagRunTriggerException, target: dict[str, Any]) -> TriggerRun:
    conf: Any = trigger_exception.conf or {}
    check_conf(target["spec"], conf)
    now = SystemClock().now()
    run_after = _instant(getattr(trigger_exception, "run_after", None))
    logical_at = (
        now if isinstance(trigger_exception.logical_date, ArgNotSet) else _instant(trigger_exception.logical_date)
    )
    slot = (
        None
        if isinstance(trigger_exception.logical_date, ArgNotSet) or logical_at is None
        else _find_slot(target, logical_at)
    )
    planned = _plan_manual_run(target, logical_at, now)
    if trigger_exception.dag_run_id is not None:
        _check_run_id(trigger_exception.dag_run_id)
    return TriggerRun(
        dag_id=trigger_exception.trigger_dag_id,
        run_id=trigger_exception.dag_run_id or planned.run_id,
        run_after=planned.run_after if run_after is None else run_after,
        logical_at=logical_at,
        interval_start=planned.interval_start,
        interval_end=planned.interval_end,
        conf=conf,
        reset=bool(getattr(trigger_exception, "reset_dag_run", False)),
        stands_for=None if slot is None else slot.run_after,
    )


def _plan_manual_run(target: dict[str, Any], logical_at: Instant | None, now: Instant) -> PlannedRun:
    """The run as if it were triggered by hand. A timetable of the author is called in this process, which runs author code anyway."""
    spec: DagSpec = target["spec"]
    try:
        if spec.timetable.builtin:
            return infer_manual_run(spec, logical_at=logical_at, now=now)
        return build_manual_run(rebuild_timetable(spec.timetable, target["file"]), logical_at, now)
    except PlanningError as error:
        raise AirflowException(
            f"DAG {spec.dag_id!r} has no data interval for a run triggered by hand: {error}"
        ) from error


def _find_slot(target: dict[str, Any], logical_at: Instant) -> Slot | None:
    """The slot with that logical date, which the run fills; None too when the timetable cannot tell."""
    spec: DagSpec = target["spec"]
    if find_slotless_reason(spec.timetable) is not None:
        return None
    try:
        timetable = (
            build(spec.timetable) if spec.timetable.builtin else rebuild_timetable(spec.timetable, target["file"])
        )
        return find_slot_by_logical_date(
            timetable=timetable,
            logical_at=logical_at,
            earliest=spec.start_at,
            latest=spec.end_at,
            cursor=target["cursor"],
        )
    except PlanningError as error:
        log.warning(
            "whether %s is the logical date of a slot of DAG %r is not known: %s; no run of another DAG will wait for this run",
            iso(logical_at),
            spec.dag_id,
            error,
        )
        return None


def _check_run_id(run_id: str) -> None:
    fault = find_run_id_fault(run_id)
    pattern = option_defaults.read_text("scheduler", "allowed_run_id_pattern")
    if fault is None and re.search(pattern, run_id) is None:
        fault = f"run id {run_id!r} does not match [scheduler] allowed_run_id_pattern, {pattern}"
    if fault is not None:
        raise ValueError(fault)


def _wait_for_clearing(dag_id: str, run_id: str, request_pk: int) -> None:
    """Wait until the run is cleared. Raises AirflowException when the scheduler refuses or does not answer within CLEAR_S."""
    clock = SystemClock()
    until = clock.monotonic() + CLEAR_S
    while clock.monotonic() < until:
        answer = cast("dict[str, Any]", channel.ask(GetRequest(request_pk=request_pk)))
        if answer["state"] == "refused":
            raise AirflowException(
                f"run {run_id!r} of DAG {dag_id!r} was not cleared: {(answer['answer'] or {}).get('error')}"
            )
        if answer["state"] == "done":
            return
        time.sleep(CLEAR_POLL_S)
    raise AirflowException(
        f"run {run_id!r} of DAG {dag_id!r} was not cleared within {CLEAR_S:g} s: no scheduler has answered request {request_pk}; "
        "`gnomon health` shows which schedulers are alive"
    )


def _wait_for_completion(trigger_exception: DagRunTriggerException, run_id: str) -> None:
    """Wait until the run has ended in an allowed state: in this process, or as a deferral if the operator is deferrable."""
    dag_id: str = trigger_exception.trigger_dag_id
    allowed = list(trigger_exception.options["allowed_states"])  # type: ignore[call-overload]
    failed = list(trigger_exception.options["failed_states"])  # type: ignore[call-overload]
    every_s = float(cast(float, trigger_exception.options["poke_interval"]))
    if trigger_exception.options.get("deferrable"):
        trigger = DagStateTrigger(
            dag_id=dag_id, states=[*allowed, *failed], run_ids=[run_id], poll_interval=every_s, there=True
        )
        raise TaskDeferred(trigger=trigger, method_name="execute_complete")
    while True:
        log.info("waiting for run %s of DAG %s to end in one of %s", run_id, dag_id, allowed)
        time.sleep(every_s)
        state = cast("str | None", channel.ask(GetRunState(dag_id=dag_id, run_id=run_id)))
        if state in failed:
            raise AirflowException(f"{dag_id} failed with failed state {state} in run {run_id}")
        if state in allowed:
            return
        if state is None:
            raise AirflowException(f"run {run_id!r} of DAG {dag_id!r} was deleted while it was waited for")


def _instant(moment: Any) -> Instant | None:
    return None if moment is None or isinstance(moment, ArgNotSet) else to_instant(moment)
