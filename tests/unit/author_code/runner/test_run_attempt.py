"""What becomes of what a task does: outcome, reason, XComs, callbacks."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG, task
from gnomon.authoring.sdk.arguments.retry_policies import RetryDecision, RetryPolicy
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.tasks.decorated_operators import RETURNED_SHOWN_MAX
from gnomon.model.attempts import XCOM_MAX_BYTES, Attempt, AttemptResult, RunFacts
from gnomon.model.errors.authoring import (
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    DownstreamTasksSkipped,
    TaskDeferred,
)
from gnomon.model.instants import to_datetime, to_instant


class Silent:
    def ask(self, question: object) -> object:
        return None


def run(
    function: Callable[..., Any], *, max_tries: int = 0, timeout_s: float | None = None, **arguments: Any
) -> AttemptResult:
    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", python_callable=function, dag=dag, **arguments)
    facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
    attempt = Attempt(
        attempt_id="a",
        group_no=3,
        epoch=1,
        run=facts,
        task_id="t",
        task_no=5,
        file="/d.py",
        max_tries=max_tries,
        timeout_s=timeout_s,
    )
    try:
        return run_attempt(dag, attempt, Silent())
    finally:
        install_channel(None)


def raising(error: BaseException) -> Callable[[], None]:
    def function() -> None:
        raise error

    return function


def test_a_result_names_its_attempt() -> None:
    result = run(lambda: None)
    assert (result.attempt_id, result.group_no, result.run_pk, result.task_no) == ("a", 3, 7, 5)
    assert (result.outcome, result.xcoms, result.entered) == ("success", (), True)


def test_a_template_sees_the_start_of_the_try_and_what_is_rendered_is_part_of_it() -> None:
    seen: list[object] = []

    def keep(start: str) -> None:
        seen.append(datetime.fromisoformat(start))

    result = run(keep, op_kwargs={"start": "{{ ti.start_date.isoformat() }}"})
    assert result.started_at is not None
    assert seen == [to_datetime(result.started_at)]
    failed = run(keep, op_kwargs={"start": "{{ ti.start_date.no_such() }}"})
    assert (failed.outcome, failed.started_at is None, failed.ended_at is None) == ("failed", False, False)


def test_an_error_in_a_template_names_the_field_the_task_and_the_template() -> None:
    result = run(print, op_kwargs={"a": ["fine", "{{ params.rec.no }}"]})
    assert result.reason is not None
    assert result.reason.startswith(
        "UndefinedError: 'dict object' has no attribute 'rec' (while rendering the template field 'op_kwargs' of task 't' ("
    )
    assert "{'a': ['fine', '{{ params.rec.no }}']}" in result.reason


def test_an_error_of_the_author_with_strange_notes_is_told_without_them() -> None:
    class Noted(Exception):
        __notes__ = property(lambda _: 1 / 0)  # type: ignore[assignment]

    assert run(raising(Noted("no"))).reason == "Noted: no"


def test_a_returned_value_is_pushed_unless_the_author_does_not_want_it() -> None:
    assert [(item.key, item.value) for item in run(lambda: {"a": 1}).xcoms] == [("return_value", '{"a": 1}')]
    assert run(lambda: 1, do_xcom_push=False).xcoms == ()


def test_text_that_no_database_holds_is_told_as_what_it_is() -> None:
    result = run(raising(ValueError("caf\udce9 and \0")))
    assert result.reason == "ValueError: caf\\udce9 and \\x00"
    (item,) = run(lambda: "caf\udce9").xcoms
    assert item.value == '"caf\\udce9"'


def test_multiple_outputs_push_each_key_and_the_whole() -> None:
    result = run(lambda: {"a": 1, "b": 2}, multiple_outputs=True)
    assert {item.key for item in result.xcoms} == {"a", "b", "return_value"}
    wrong = run(lambda: [1], multiple_outputs=True)
    assert wrong.outcome == "failed" and wrong.reason is not None and "returned a list" in wrong.reason


def test_a_value_that_cannot_be_stored_fails_and_says_which() -> None:
    result = run(lambda: {"x": object()})
    assert result.outcome == "failed"
    assert result.reason is not None and "'t'" in result.reason and "['x']" in result.reason


@pytest.mark.parametrize(
    ("error", "outcome", "retryable", "words"),
    [
        (ValueError("no\nrows"), "failed", True, "ValueError: no"),
        (KeyError(), "failed", True, "KeyError"),
        (AirflowSkipException("not today"), "skipped", True, "not today"),
        (AirflowFailException("give up"), "failed", False, "AirflowFailException: give up"),
        (AirflowSensorTimeout("waited"), "failed", False, "AirflowSensorTimeout: waited"),
        (SystemExit(3), "failed", True, "called sys.exit(3)"),
        (SystemExit(), "failed", True, "called sys.exit(0)"),
        (
            TaskDeferred(trigger=object(), method_name="next"),
            "failed",
            False,
            "a function cannot resume after a deferral",
        ),
        (KeyboardInterrupt(), "failed", True, "KeyboardInterrupt"),
    ],
)
def test_each_exception_has_its_outcome(error: BaseException, outcome: str, retryable: bool, words: str) -> None:
    result = run(raising(error))
    assert (result.outcome, result.retryable) == (outcome, retryable)
    assert result.reason is not None and words in result.reason and "\n" not in result.reason


def test_a_reschedule_says_when() -> None:
    when = datetime(2030, 1, 2, tzinfo=UTC)
    result = run(raising(AirflowRescheduleException(when)))
    assert (result.outcome, result.resume_at) == ("up_for_reschedule", to_instant(when))


def test_skipping_downstream_tasks_is_a_success_that_names_them() -> None:
    result = run(raising(DownstreamTasksSkipped(tasks=["x", ("y", 0), ("y", 1)])))
    assert (result.outcome, result.skip_task_ids, result.xcoms) == ("success", ("x", "y"), ())


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (AirflowSkipException(), "skipped"),
        (ValueError("no"), "failed"),
        (AirflowFailException("no"), "failed"),
        (AirflowRescheduleException(datetime(2030, 1, 1, tzinfo=UTC)), "up_for_reschedule"),
    ],
)
def test_what_was_pushed_is_kept_however_the_task_ends(error: BaseException, outcome: str) -> None:
    def function(ti: Any) -> None:
        ti.xcom_push("k", 1)
        raise error

    result = run(function)
    assert (result.outcome, [(item.key, item.value) for item in result.xcoms]) == (outcome, [("k", "1")])


def test_what_was_pushed_before_a_value_that_cannot_be_stored_is_kept() -> None:
    def function(ti: Any) -> object:
        ti.xcom_push("k", 1)
        return object()

    result = run(function)
    assert (result.outcome, [item.key for item in result.xcoms]) == ("failed", ["k"])


def test_callbacks_see_what_was_pushed_and_push() -> None:
    def function(ti: Any) -> None:
        ti.xcom_push("k", [1])
        raise ValueError

    def tell(context: Any) -> None:
        context["ti"].xcom_push("heard", context["ti"].xcom_pull(key="k"))

    assert {item.key: item.value for item in run(function, on_failure_callback=tell).xcoms} == {
        "k": "[1]",
        "heard": "[1]",
    }


def test_a_timeout_calls_on_kill_and_leaves_no_alarm() -> None:
    killed = []

    class Slow(PythonOperator):
        def execute(self, context: Any) -> None:
            signal.pause()

        def on_kill(self) -> None:
            killed.append(self.task_id)

    dag = DAG("d", schedule=None)
    Slow(task_id="t", python_callable=print, execution_timeout=timedelta(seconds=0.05), dag=dag)
    facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0)
    result = run_attempt(
        dag, Attempt(attempt_id="a", group_no=3, epoch=1, run=facts, task_id="t", task_no=5, file="/d"), Silent()
    )
    install_channel(None)
    assert (result.outcome, killed) == ("failed", ["t"])
    assert result.reason is not None and "execution_timeout of 0.05 s" in result.reason
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_sigterm_ends_the_task_and_the_handler_of_before_is_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    result = run(lambda: signal.raise_signal(signal.SIGTERM))
    assert result.outcome == "failed" and result.reason is not None and "SIGTERM" in result.reason
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("function", "max_tries", "called"),
    [
        (lambda: None, 0, ["on_execute", "on_success"]),
        (raising(ValueError()), 0, ["on_execute", "on_failure"]),
        (raising(ValueError()), 1, ["on_execute", "on_retry"]),
        (raising(AirflowFailException()), 1, ["on_execute", "on_failure"]),
        (raising(AirflowSkipException()), 0, ["on_execute", "on_skipped"]),
    ],
)
def test_the_callbacks_of_the_outcome_are_called(
    function: Callable[[], None], max_tries: int, called: list[str]
) -> None:
    seen: list[str] = []

    def note(name: str) -> Callable[[Any], None]:
        return lambda context: seen.append(name)

    names = ("on_execute", "on_success", "on_failure", "on_retry", "on_skipped")
    run(function, max_tries=max_tries, **{f"{name}_callback": note(name) for name in names})
    assert seen == called


def test_a_failing_callback_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(context: Any) -> None:
        raise ValueError("in the callback")

    seen: list[object] = []
    with caplog.at_level(logging.ERROR):
        result = run(lambda: 1, on_success_callback=[broken, lambda context: seen.append(context["ti"].task_id)])
    assert (result.outcome, seen) == ("success", ["t"])
    assert "in the callback" in caplog.text


def test_the_failure_callback_sees_the_exception() -> None:
    seen: list[object] = []
    error = ValueError("x")
    run(raising(error), on_failure_callback=lambda context: seen.append(context["exception"]))
    assert seen == [error]


def test_a_key_over_the_limit_among_multiple_outputs_fails_the_attempt() -> None:
    assert run(lambda: {"k" * 512: 1}, multiple_outputs=True).outcome == "success"
    result = run(lambda: {"k" * 513: 1}, multiple_outputs=True, max_tries=3)
    assert (result.outcome, result.retryable, result.xcoms) == ("failed", False, ())
    assert (result.reason or "").startswith(
        "the key of an XCom has at most 512 characters, and this one has 513; it begins with 'kkk"
    ) and len(result.reason or "") < 200


def test_a_returned_value_over_the_limit_fails_with_key_size_and_limit_and_is_not_logged_whole(
    caplog: pytest.LogCaptureFixture,
) -> None:
    half = XCOM_MAX_BYTES // 2
    assert run(lambda: "é" * (half - 1)).outcome == "success"
    caplog.clear()
    with caplog.at_level(logging.INFO):
        result = run(lambda: "é" * half, max_tries=3)
    assert (result.outcome, result.retryable, result.xcoms) == ("failed", False, ())
    assert (result.reason or "").startswith(
        "XCom 'return_value' of task 't' takes 16777218 bytes, the limit is 16777216 bytes: "
    )
    assert "takes 16777218 bytes" in caplog.text and len(caplog.text) < 10_000


@pytest.mark.parametrize("decorated", [False, True])
def test_the_log_shows_the_beginning_of_a_long_returned_value(
    decorated: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def returns() -> str:
        return "xyz" * RETURNED_SHOWN_MAX

    with caplog.at_level(logging.INFO):
        dag = DAG("d", schedule=None)
        with dag:
            task(returns)() if decorated else PythonOperator(task_id="returns", python_callable=returns)
        facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0)
        attempt = Attempt(attempt_id="a", group_no=3, epoch=1, run=facts, task_id="returns", task_no=5, file="/d")
        assert run_attempt(dag, attempt, Silent()).outcome == "success"
    install_channel(None)
    shown = next(record.getMessage() for record in caplog.records if "Returned value" in record.getMessage())
    assert (
        shown
        == f"Done. Returned value was: {('xyz' * RETURNED_SHOWN_MAX)[:RETURNED_SHOWN_MAX]}… ({3 * RETURNED_SHOWN_MAX} characters)"
    )


def test_the_environment_names_the_attempt() -> None:
    result = run(lambda: [os.environ[f"{prefix}_CTX_TASK_ID"] for prefix in ("AIRFLOW", "GNOMON")])
    assert result.xcoms[0].value == '["t", "t"]'


class Deciding(RetryPolicy):
    """A policy that returns, or raises, what it was made with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int, int, bool]] = []

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        self.asked.append((str(exception), try_number, max_tries, context["task_instance"].task_id == "t"))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("answer", "retryable", "delay_s", "reason"),
    [
        (RetryDecision.fail("wrong password"), False, None, "ValueError: x (retry_policy: wrong password)"),
        (RetryDecision.retry(timedelta(seconds=90)), True, 90.0, "ValueError: x (retry_policy: retry)"),
        (RetryDecision.retry(timedelta(seconds=-1)), True, None, "ValueError: x (retry_policy: retry)"),
        (RetryDecision.default(), True, None, "ValueError: x"),
        (None, True, None, "ValueError: x"),
        (RetryDecision("fail"), True, None, "ValueError: x"),  # type: ignore[arg-type]
        (KeyError("bug"), True, None, "ValueError: x"),
    ],
)
def test_a_retry_policy_decides_about_the_next_try(
    answer: Any, retryable: bool, delay_s: float | None, reason: str
) -> None:
    policy = Deciding(answer)
    result = run(raising(ValueError("x")), max_tries=2, retry_policy=policy)
    assert (result.outcome, result.retryable, result.retry_delay_s, result.reason) == (
        "failed",
        retryable,
        delay_s,
        reason,
    )
    assert policy.asked == [("x", 1, 2, True)]


def test_a_retry_policy_is_not_asked_without_a_try_left_or_after_a_final_failure() -> None:
    policy = Deciding(RetryDecision.retry())
    for error, tries in (
        (ValueError(), 0),
        (AirflowFailException("no"), 3),
        (AirflowSensorTimeout("late"), 3),
        (AirflowSkipException(), 3),
    ):
        run(raising(error), max_tries=tries, retry_policy=policy)
    assert policy.asked == []


def test_callbacks_are_those_of_a_failure_when_the_policy_says_so() -> None:
    called: list[str] = []
    run(
        raising(ValueError()),
        max_tries=2,
        retry_policy=Deciding(RetryDecision.fail()),
        on_failure_callback=lambda context: called.append("failure"),
        on_retry_callback=lambda context: called.append("retry"),
    )
    assert called == ["failure"]


def test_the_traceback_of_a_task_begins_with_the_line_of_its_author(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        run(raising(ValueError("broken")), on_failure_callback=raising_callback)
    errors = [record.exc_info for record in caplog.records if record.exc_info]
    assert len(errors) == 2
    for info in errors:
        assert info[2] is not None and info[2].tb_frame.f_code.co_filename == __file__


def raising_callback(context: Any) -> None:
    raise KeyError("callback")
