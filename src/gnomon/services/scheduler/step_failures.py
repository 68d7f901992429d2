"""The failure of a step or of its commit: whether it can be isolated, by which DAGs it may have come, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.product import EngineStepError
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.scheduler.unstorable_values import list_unstorable
from gnomon.storage.store import Database, FailureKind, WrongKey, classify_failure

_TEXT_MAX = 500
"""Characters of the message of an error that a reason quotes."""


class CommitRefused(Exception):
    """The database refused the changes of a step; `result` is that step."""

    def __init__(self, error: Exception, result: StepResult) -> None:
        super().__init__(str(error))
        self.result = result


def is_isolable(error: Exception, db: Database) -> bool:
    """False for an outage and a fence: the same step may succeed later, or another process does it.

    A value that this host's key does not decrypt is damaged if the key is that of the database; else the key is wrong, and everything waits for the right one.
    """
    if isinstance(error, WrongKey):
        return db.has_key()
    return classify_failure(error) in (FailureKind.DATA, FailureKind.INTERNAL)


def find_failing_dags(failure: Exception, engine_state: EngineState) -> list[int]:
    """The DAGs by which the step may have failed: that which the engine was processing, or those whose rows the database refused."""
    if isinstance(failure, EngineStepError):
        return [dag.record.dag_pk for dag in engine_state.dags.values() if dag.record.dag_id == failure.dag_id]
    if not isinstance(failure, CommitRefused):
        return []
    changes = failure.result.changes
    dag_of_run = {run.run_pk: run.dag_pk for run in changes.runs}
    rows: list[tuple[int | None, object]] = [(run.dag_pk, run) for run in changes.runs]
    by_run: list[tuple[int, object]] = [(task.run_pk, task) for task in changes.tasks]
    by_run += [(attempt.run_pk, attempt) for attempt in changes.attempts]
    by_run += [(result.run_pk, result) for result in changes.results]
    by_run += [(detail.run_pk, detail) for detail in changes.hitl_details]
    by_run += [
        (deferral.run_pk, deferral) for deferral in (*changes.deferrals.values(), *changes.deferrals_ended.values())
    ]
    by_run += [(run_pk, deadline) for (run_pk, _), deadline in changes.deadlines.items()]
    rows += [(_find_dag(run_pk, dag_of_run, engine_state), row) for run_pk, row in by_run]
    rows += [(callback.dag_pk, callback) for callback in changes.callbacks.values()]
    dag_rows = [(dag_pk, row) for dag_pk, row in rows if dag_pk is not None]
    suspects = {dag_pk for dag_pk, row in dag_rows if list_unstorable(row, limit=1)}
    return sorted(suspects or {dag_pk for dag_pk, _ in dag_rows} | {dag_pk for dag_pk, _ in changes.tallies})


def _find_dag(run_pk: int, dag_of_run: dict[int, int], engine_state: EngineState) -> int | None:
    run = engine_state.runs.get(run_pk)
    return dag_of_run.get(run_pk) if run is None else run.record.dag_pk


def describe_failure(failure: Exception, suspects: Sequence[object], *, stores_nul: bool) -> str:
    """Why the commit failed, in words: the field whose value cannot be stored, or what the database or the engine said."""
    cause = root_cause(failure)
    for suspect in suspects:
        value = suspect.result if isinstance(suspect, e.ResultReceived | e.DeferralEnded) else suspect
        phrases = list_unstorable(value, stores_nul=stores_nul)
        if phrases:
            return "; ".join(phrases)
    text = escape_unstorable(str(cause))[:_TEXT_MAX]
    if classify_failure(cause) is FailureKind.DATA and not isinstance(failure, EngineStepError):
        return render(say("database_refuses_value", name=type(cause).__name__, error=text))
    return render(say("scheduler_failed_to_apply", name=type(cause).__name__, error=text))


def root_cause(failure: Exception) -> Exception:
    """The error that a step or commit failed by, without what wraps it."""
    cause = failure.__cause__
    return cause if isinstance(cause, Exception) and isinstance(failure, EngineStepError | CommitRefused) else failure
