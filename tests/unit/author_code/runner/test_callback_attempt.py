"""The process of a callback: what it calls, with which context, and what becomes of what it does."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.author_code.runner.callback_attempt import run_callback_attempt
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.sdk import (
    DAG,
    AsyncCallback,
    BaseDeadlineReference,
    BaseNotifier,
    DeadlineAlert,
    DeadlineReference,
    SyncCallback,
    VariableInterval,
)
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.instants import SECOND
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest

HOUR = timedelta(hours=1)


class Variables:
    """A channel that answers every request with one text."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer

    def ask(self, question: object) -> object:
        return self.answer


def run(
    dag: DAG,
    kind: CallbackKind,
    *,
    timeout_s: float | None = 20.0,
    answer: object = None,
    on_entered: Callable[[int], None] | None = None,
    **fields: Any,
) -> AttemptResult:
    request = CallbackRequest(kind=kind, calls_dag=True, **fields)
    facts = RunFacts(
        run_pk=7,
        dag_id="d",
        run_id="r",
        run_type="manual",
        run_after=0,
        logical_at=0,
        queued_at=5 * SECOND,
        state="failed",
    )
    attempt = Attempt(
        attempt_id="a",
        group_no=3,
        epoch=1,
        run=facts,
        task_id=request.task_id or "",
        task_no=-1,
        kind="callback",
        callback=request,
        file="/d.py",
        timeout_s=timeout_s,
    )
    try:
        return run_callback_attempt(dag, attempt, Variables(answer), on_entered)
    finally:
        install_channel(None)


def with_callbacks(*callbacks: Callable[[Any], object], **arguments: Any) -> DAG:
    dag = DAG("d", schedule=None, on_failure_callback=list(callbacks) or None, **arguments)
    EmptyOperator(task_id="t", dag=dag)
    return dag


def test_a_callback_gets_the_context_of_the_run_and_of_the_task_that_failed() -> None:
    seen: list[Any] = []
    dag = with_callbacks(seen.append, params={"size": 3})
    result = run(
        dag, CallbackKind.RUN_FAILED, reason="task_failure", task_id="t", task_state="failed", task_ended_at=SECOND
    )
    (context,) = seen
    assert (result.outcome, result.reason) == ("success", None)
    assert (context["reason"], context["run_id"], context["dag"], context["params"]["size"]) == (
        "task_failure",
        "r",
        dag,
        3,
    )
    assert (context["ti"].task_id, context["ti"].state, context["dag_run"].state, context["ds"]) == (
        "t",
        "failed",
        "failed",
        "1970-01-01",
    )


def test_sigterm_right_after_the_entry_was_reported_ends_the_callback() -> None:
    seen: list[Any] = []
    result = run(
        with_callbacks(seen.append), CallbackKind.RUN_FAILED, on_entered=lambda _: signal.raise_signal(signal.SIGTERM)
    )
    assert (seen, result.outcome) == ([], "failed")
    assert result.reason is not None and "SIGTERM" in result.reason


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("on_success_callback", CallbackKind.RUN_SUCCEEDED),
        ("on_failure_callback", CallbackKind.RUN_FAILED),
    ],
)
def test_each_callback_of_a_dag_is_in_its_spec_and_is_called_at_its_end_of_the_run(
    name: str, kind: CallbackKind
) -> None:
    seen: list[Any] = []
    dag = DAG("d", schedule=None, **{name: seen.append})
    assert build_dag_spec(dag, "d.py").spec.run_callbacks == (kind.value,)
    assert run(dag, kind).outcome == "success"
    assert len(seen) == 1


def test_a_task_that_left_the_dag_is_left_out_of_the_context() -> None:
    seen: list[Any] = []
    run(with_callbacks(seen.append), CallbackKind.RUN_FAILED, reason="timed_out", task_id="gone")
    assert "ti" not in seen[0] and "task" not in seen[0] and seen[0]["dag_run"].run_id == "r"


def test_every_callback_is_called_and_the_reason_names_those_that_failed() -> None:
    seen: list[Any] = []

    def first(_: Any) -> None:
        raise ValueError("no mail")

    result = run(with_callbacks(first, seen.append), CallbackKind.RUN_FAILED)
    assert len(seen) == 1
    assert result.outcome == "failed" and not result.retryable
    assert result.reason is not None and result.reason.endswith("first: ValueError: no mail")


def test_a_callback_that_runs_too_long_is_ended_by_its_timeout() -> None:
    def endless(_: Any) -> None:
        while True:
            time.sleep(0.001)

    result = run(with_callbacks(endless), CallbackKind.RUN_FAILED, timeout_s=0.05)
    assert result.outcome == "failed" and result.reason is not None
    assert result.reason.startswith("on_failure_callback ")
    assert result.reason.endswith(
        "endless ran for longer than [callbacks] callback_execution_timeout of 0.05 s and was ended; make it faster, or raise the option"
    )


@pytest.mark.parametrize(("state", "called"), [("failed", "failure"), ("up_for_retry", "retry")])
def test_a_task_whose_process_was_killed_gets_its_callbacks_called(state: str, called: str) -> None:
    seen: list[Any] = []
    dag = DAG("d", schedule=None)
    EmptyOperator(
        task_id="t",
        dag=dag,
        on_failure_callback=lambda context: seen.append(("failure", str(context["exception"]))),
        on_retry_callback=lambda context: seen.append(("retry", str(context["exception"]))),
    )
    result = run(dag, CallbackKind.TASK_ENDED, reason="killed by signal 9", task_id="t", task_state=state)
    assert (result.outcome, seen) == ("success", [(called, "killed by signal 9")])


class Recorder(BaseNotifier):
    template_fields = ("text",)
    seen: list[str] = []

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def notify(self, context: Any) -> None:
        self.seen.append(f"sync {self.text}")

    async def async_notify(self, context: Any) -> None:
        self.seen.append(f"async {self.text}")


@pytest.mark.parametrize(("kind", "words"), [(SyncCallback, "sync"), (AsyncCallback, "async")])
def test_a_notifier_class_is_made_and_called_for_a_missed_deadline(kind: type, words: str) -> None:
    Recorder.seen.clear()
    callback = kind(Recorder, {"text": "{{ dag_run.run_id }} at {{ deadline.name }}"})
    dag = with_callbacks(deadline=DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, callback, name="late"))
    result = run(dag, CallbackKind.DEADLINE_MISSED, deadline_no=0, deadline_at=SECOND)
    assert (result.outcome, result.reason) == ("success", None)
    assert Recorder.seen == [f"{words} r at late"]


SEEN: list[Any] = []


async def awaited(word: str, context: Any) -> None:
    SEEN.append((word, context["dag_run"]["run_id"], context["deadline"]["deadline_time"].isoformat()))


def plain(word: str) -> None:
    SEEN.append(word)


def test_functions_get_their_arguments_and_the_context_where_they_take_it() -> None:
    SEEN.clear()
    for callback in (
        AsyncCallback(awaited, {"word": "w"}),
        SyncCallback(plain, {"word": "p"}),
        SyncCallback(f"{__name__}.plain", {"word": "q"}),
    ):
        dag = with_callbacks(deadline=[DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, callback)])
        assert run(dag, CallbackKind.DEADLINE_MISSED, deadline_no=0, deadline_at=SECOND).reason is None
    assert SEEN == [("w", "r", "1970-01-01T00:00:01+00:00"), "p", "q"]


class Quarter(BaseDeadlineReference):
    required_kwargs = {"run_id", "logical_date"}

    def _evaluate_with(self, *, session: Any, run_id: str, logical_date: datetime) -> datetime:  # type: ignore[override]
        assert session is None and run_id == "r"
        return logical_date + timedelta(minutes=15)


class Naive(BaseDeadlineReference):
    def _evaluate_with(self, *, session: Any = None, **_: Any) -> datetime:
        return datetime(2026, 1, 1)


def test_the_reference_of_an_author_gives_the_deadline() -> None:
    dag = with_callbacks(deadline=DeadlineAlert(Quarter(), HOUR, SyncCallback(plain)))
    assert run(dag, CallbackKind.DEADLINE_REFERENCE, deadline_no=0).resume_at == 75 * 60 * SECOND


def test_the_interval_of_a_variable_is_read_when_the_run_is_created() -> None:
    alert = DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, VariableInterval("span"), SyncCallback(plain))
    dag = with_callbacks(deadline=alert)
    assert run(dag, CallbackKind.DEADLINE_REFERENCE, deadline_no=0, answer="10").resume_at == 15 * SECOND
    result = run(dag, CallbackKind.DEADLINE_REFERENCE, deadline_no=0, answer="soon")
    assert (
        result.reason is not None
        and "VariableInterval('span'): the Variable is 'soon'; set it to a number of seconds" in result.reason
    )


def test_a_reference_without_a_zone_is_refused() -> None:
    dag = with_callbacks(deadline=DeadlineAlert(Naive(), HOUR, SyncCallback(plain)))
    result = run(dag, CallbackKind.DEADLINE_REFERENCE, deadline_no=0)
    assert (
        result.outcome == "failed"
        and result.reason is not None
        and "return a datetime with a time zone" in result.reason
    )


def test_a_deadline_that_left_the_dag_is_a_failure_that_says_so() -> None:
    result = run(
        with_callbacks(),
        CallbackKind.DEADLINE_MISSED,
        deadline_no=1,
        deadline_at=datetime(1970, 1, 1, tzinfo=UTC).microsecond,
    )
    assert result.reason is not None and "DAG 'd' in /d.py no longer has deadline 1; it has 0" in result.reason
