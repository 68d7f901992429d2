"""Runs: lists, one run, creating, clearing, marking, releasing, and waiting for its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.changes.actions.manual_runs import NewRun, create_run
from gnomon.changes.actions.owner_requests import OwnerAnswer, ask_owner
from gnomon.changes.actions.run_changes import clear_instances, mark_instances
from gnomon.changes.operations.changed_instances import (
    CLEARED,
    InstanceChange,
    RowToMark,
    build_rows_to_mark,
    read_instance_change,
)
from gnomon.changes.operations.given_values import check_instants, check_limit
from gnomon.changes.operations.marked_clears import clear_marked, find_marked
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.ids import quote_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.queries.report.listings.cancelled_runs import list_cancelled_by
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.marked_tasks import RunInstancesToClear
from gnomon.queries.report.listings.note_list import NoteRow, list_note_rows
from gnomon.queries.report.listings.process_health import is_scheduler_alive
from gnomon.queries.report.listings.run_callback_list import (
    CallbackRow,
    DeadlineRow,
    list_callback_rows,
    list_deadline_rows,
)
from gnomon.queries.report.listings.run_list import (
    RunRow,
    TaskInstanceRow,
    build_run_row,
    count_states,
    find_run,
    list_task_instances,
)
from gnomon.queries.report.listings.run_list import list_runs as list_run_rows
from gnomon.queries.report.listings.run_list import list_runs_of_all_dags as list_rows_of_all_dags
from gnomon.queries.report.listings.run_results import find_results
from gnomon.queries.report.listings.task_selection import select_instances
from gnomon.storage.store import Transaction

MARKS = ("success", "failed")
"""The states that a run can be marked with."""
RUNS_MAX = 100_000
"""The most runs of one answer of the API, and the most of all DAGs among which those are looked for that a user sees who does not see every DAG."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with everything that `runs show` prints."""

    run: RunRow
    task_states: dict[str, int]
    callbacks: list[CallbackRow]
    deadlines: list[DeadlineRow]
    results: dict[str, object]
    notes: list[NoteRow]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run while a command waits for its end. `task_states`: None when they were not asked for."""

    run: RunRow
    is_finished: bool
    is_scheduler_alive: bool
    task_states: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class TriggeredRun:
    """A run that was created. `slot_note`: whether DAGs wait for it, None when no other DAG can."""

    run: RunRow
    dag_paused: bool
    slot_note: str | None


@operation("runs.list", "read", "run")
def list_runs(
    scope: OperationScope, dag_id: str, state: str | None = None, since: int | None = None, limit: int | None = None
) -> list[RunRow]:
    """The runs of a DAG, newest first: those in `state`, those that ended at the instant `since` or later or have not ended."""
    check_instants(since)
    check_limit(limit)
    row_limit = RUNS_MAX + 1 if limit is None and scope.is_remote else limit
    with scope.db.read() as tx:
        rows = scope.hide_names(tx, list_run_rows(tx, find_dag(tx, dag_id), _read_state(state), since, row_limit))
    if limit is None and scope.is_remote and len(rows) > RUNS_MAX:
        raise UserError(say("api_lists_fewer_runs", dag=dag_id, number=f"{RUNS_MAX:,}"))
    return rows


@operation("runs.list_all", "read", "run")
def list_runs_of_all_dags(
    scope: OperationScope, state: str | None = None, since: int | None = None, limit: int = 50
) -> list[RunRow]:
    """The runs of all DAGs."""
    check_instants(since)
    check_limit(limit)
    wanted_state, limit = _read_state(state), min(max(limit, 1), RUNS_MAX) if scope.is_remote else limit
    with scope.db.read() as tx:
        row_limit = limit
        while True:
            rows = list_rows_of_all_dags(tx, wanted_state, since, row_limit)
            visible = scope.select(tx, rows, lambda row: row.dag_id)
            if len(visible) >= limit or len(rows) < row_limit:
                return scope.hide_names(tx, visible[:limit])
            if row_limit >= RUNS_MAX:
                raise UserError(say("few_runs_are_visible", length=len(visible), number=f"{RUNS_MAX:,}"))
            row_limit = min(4 * row_limit, RUNS_MAX)  # an account that sees few DAGs: further back in history


@operation("runs.show", "read", "run")
def show_run(scope: OperationScope, dag_id: str, run_id: str) -> ShownRun:
    """One run: the number of its task instances in each state, its callbacks, its deadlines, its notes and its results."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        (row,) = scope.hide_names(tx, [build_run_row(dag_id, run)])
        results = find_results(tx, dag, run)
        return ShownRun(
            row,
            count_states(list_task_instances(tx, dag, run)),
            scope.hide_names(tx, list_callback_rows(tx, run)),
            list_deadline_rows(tx, run),
            hide_stored_secrets(tx, results) if scope.is_remote and results else results,
            list_note_rows(tx, dag, run),
        )


@operation("runs.progress", "read", "run")
def read_progress(scope: OperationScope, dag_id: str, run_id: str, counts: bool = False) -> RunProgress:
    """The run now; with `counts`, the number of its task instances in each state."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        states = count_states(list_task_instances(tx, dag, run)) if counts else None
        (row,) = scope.hide_names(tx, [build_run_row(dag_id, run)])
        return RunProgress(row, run.state in FINISHED_RUN_STATES, is_scheduler_alive(tx), states)


@operation("runs.trigger", "create", "run")
def trigger_run(
    scope: OperationScope,
    dag_id: str,
    run_id: str | None = None,
    logical_at: int | None = None,
    slot_at: int | None = None,
    conf: dict[str, object] | None = None,
    partition_key: str | None = None,
) -> TriggeredRun:
    """Create a run of a DAG now. `logical_at`, `slot_at`: instants, which exclude each other."""
    check_instants(logical_at, slot_at)
    if logical_at is not None and slot_at is not None:
        raise UserError(say("logical_date_excludes_slot"))
    created = create_run(
        scope.actor,
        scope.db,
        NewRun(
            dag_id=dag_id,
            run_id=run_id,
            logical_at=logical_at,
            slot_at=slot_at,
            conf=conf or {},
            partition_key=partition_key,
        ),
    )
    note = None
    if created.is_waited_for:
        slot = created.manual_slot.slot
        start: Instant | None = None if slot is None else slot.interval_start
        note = _describe_slot(dag_id, created.run, start, has_slot=slot is not None, doubt=created.manual_slot.doubt)
    return TriggeredRun(build_run_row(dag_id, created.run), created.dag.paused, note)


@operation("runs.select", "read", "run")
def select_run(scope: OperationScope, dag_id: str, run_id: str, only_failed: bool = False) -> list[TaskInstanceRow]:
    """The task instances that a clear of the run would run again, then those of other DAGs that markers among them name."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        rows = select_instances(tx, dag, run, only_failed=only_failed)
        marked = find_marked(scope, tx, dag, run, rows, Role.VIEWER, only_failed=only_failed)
        return scope.hide_names(tx, [*rows, *(row for run_instances in marked for row in run_instances.rows)])


@operation("runs.clear", "edit", "run")
def clear_run(
    scope: OperationScope, dag_id: str, run_id: str, only_failed: bool = False, is_newest_wanted: bool | None = None
) -> InstanceChange:
    """Run the tasks of a run again. `is_newest_wanted`: whether it takes the newest version of its DAG bundle; None: its DAG says so."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        rows = scope.hide_names(tx, select_instances(tx, dag, run, only_failed=only_failed))
        marked = find_marked(scope, tx, dag, run, rows, Role.USER, only_failed=only_failed)
    if not rows:
        return InstanceChange([], [], None)
    answer = clear_instances(
        scope.actor, scope.db, dag, run, None, only_failed=only_failed, is_newest_wanted=is_newest_wanted
    )
    return clear_marked(
        scope, read_instance_change(scope, dag, run, rows, answer), marked, is_newest_wanted=is_newest_wanted
    )


@operation("runs.select_to_mark", "read", "run")
def select_run_to_mark(scope: OperationScope, dag_id: str, run_id: str, state: str) -> list[RowToMark]:
    """The task instances that would change if the run were marked, and what each would become."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        marked = scope.hide_names(tx, _select_to_mark(scope, tx, dag, run, state))
        cancelled = scope.hide_names(
            tx, [row for run_instances in _list_continuing(scope, tx, dag, run, state) for row in run_instances.rows]
        )
    return [*marked, *build_rows_to_mark(cancelled, lambda _: CLEARED)]


@operation("runs.mark", "edit", "run")
def mark_run(scope: OperationScope, dag_id: str, run_id: str, state: str) -> InstanceChange:
    """End a run as success or failed: its running attempts end in that state, and tasks that have not begun are skipped.

    Teardowns that have something to tear down still run; the run ends when they have ended. Runs and tasks of other DAGs that failed because the run did run
    again when it is marked success.
    """
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        rows = scope.hide_names(tx, _select_to_mark(scope, tx, dag, run, state))
        cancelled = _list_continuing(scope, tx, dag, run, state)
    change = read_instance_change(scope, dag, run, rows, mark_instances(scope.actor, scope.db, dag, run, None, state))
    return clear_marked(scope, change, cancelled, is_newest_wanted=None)


@operation("runs.release", "edit", "run")
def release_run(
    scope: OperationScope, dag_id: str, run_id: str, up_dag: str | None = None, reason: str | None = None
) -> OwnerAnswer:
    """Release a run, or its tasks, from waiting for runs of one other DAG, or of all."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        _check_releasable(tx, dag, run, up_dag, scope.dags.build_name_filter(tx))
    return ask_owner(
        scope.actor,
        scope.db,
        dag,
        "release",
        {"dag_pk": dag.dag_pk, "run_pk": run.run_pk, "up_dag": up_dag, "reason": reason},
    )


def _read_state(state: str | None) -> DagRunState | None:
    try:
        return None if state is None else DagRunState(state)
    except ValueError:
        raise UserError(
            say("run_state_is_unknown", state=state, states=", ".join(member.value for member in DagRunState))
        ) from None


def _list_continuing(
    scope: OperationScope, tx: Transaction, dag: DagRecord, run: RunRecord, state: str
) -> list[RunInstancesToClear]:
    """What failed in runs of other DAGs because this run did, as far as the user may clear it: it runs again when the run is marked success."""
    cancelled = list_cancelled_by(tx, dag, run) if state == DagRunState.SUCCESS.value else []
    return [
        run_instances for run_instances in cancelled if scope.dags.has_role(tx, run_instances.dag.dag_id, Role.USER)
    ]


def _select_to_mark(
    scope: OperationScope, tx: Transaction, dag: DagRecord, run: RunRecord, state: str
) -> list[RowToMark]:
    """The task instances that end when the run is marked. A teardown that has something to tear down is not among them: it runs."""
    from gnomon.queries.report.explanations.run_mark_preview import (
        find_states_after_mark,  # start-up cost: few commands need it
    )

    if state not in MARKS:
        raise UserError(say("run_cannot_be_marked", state=state, states=" or ".join(MARKS)))
    after = find_states_after_mark(tx, dag, run, state, scope.limits, scope.actor.clock.now())
    rows = [row for row in select_instances(tx, dag, run) if (row.task_id, row.map_index) in after]
    return build_rows_to_mark(rows, lambda row: after[row.task_id, row.map_index])


def _describe_slot(
    dag_id: str, run: RunRecord, slot_start: Instant | None, *, has_slot: bool, doubt: str | None
) -> str:
    """A sentence on whether other DAGs wait for this run: they do when the run stands for a slot."""
    if run.stands_for is not None and has_slot:
        sentence = f"run {run.run_id!r} stands for the slot due at {iso(run.stands_for)}: DAGs that wait for that slot wait for this run"
        if slot_start in (None, run.interval_start):
            return sentence
        return (
            f"{sentence}; its data interval starts at {iso(run.interval_start)}, that of the slot at {iso(slot_start)}; "
            "--slot gives a run the data interval of the slot"
        )
    date = f"logical date {iso(run.logical_at)}"
    why = f"whether a slot has {date} is not known: {doubt}" if doubt else f"no slot without a run has {date}"
    see = f"see: gnomon timetables preview {quote_argument(dag_id)}"
    return f"run {run.run_id!r} stands for no slot, and no DAG waits for it: {why}; {see}"


def _check_releasable(
    tx: Transaction, dag: DagRecord, run: RunRecord, up_dag: str | None, hide: Callable[[str], str]
) -> None:
    """Raise UserError when the run is not waiting, or not for that DAG: no request to the owner is needed then."""
    from gnomon.queries.report.explanations.upstream_conditions import (
        list_upstreams,  # start-up cost: few commands need it
    )

    if run.state in FINISHED_RUN_STATES:
        raise UserError(say("ended_run_waits_for_nothing", run=RunName(dag.dag_id, run.run_id), state=str(run.state)))
    upstreams = list_upstreams(tx, dag, run)
    if not upstreams:
        raise UserError(
            say("run_waits_for_no_dag", run=RunName(dag.dag_id, run.run_id), dag=dag.dag_id, command=Command("explain"))
        )
    if up_dag is not None and up_dag not in upstreams:
        near = find_close_matches(up_dag, upstreams)
        raise UserError(
            say(
                "run_does_not_depend_on_dag",
                run=RunName(dag.dag_id, hide(run.run_id)),
                dag=hide(up_dag),
                names=hide(", ".join(upstreams)),
                hint=say("or_did_you_mean", names=hide(repr(near[0]))) if near else None,
            )
        )
