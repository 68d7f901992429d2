"""A task that defers: what goes out of its process, what is refused there, and how it goes on in the next one."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pendulum
import pytest

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.operators.triggers import DateTimeTrigger, SuccessTrigger, TimeDeltaTrigger
from gnomon.authoring.sdk import (
    DAG,
    BaseOperator,
    BaseSensorOperator,
    BaseTrigger,
    StartTriggerArgs,
    TriggerEvent,
    task,
)
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.deferral import Deferral, DeferralResult, Resumption
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException, TaskDeferred
from gnomon.model.instants import SECOND, to_instant
from gnomon.model.serde import dumps, loads

WHEN = dt.datetime(2030, 1, 2, 3, tzinfo=dt.UTC)
VALUES = {
    "json": {"a": [1, None, True, 1.5, "x"]},
    "moment": WHEN,
    "span": dt.timedelta(minutes=5),
    "id": uuid.UUID(int=7),
    "bytes": b"\x00\xff",
    "set": {1, 2},
    "frozen": frozenset({"a"}),
    "pair": (1, (2, "b")),
    "keys": {1: "one", (2, 3): "two"},
}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> Iterator[Path]:
    set_current_config(load_config({}, home=tmp_path))
    yield tmp_path
    set_current_config(None)
    install_channel(None)


class Silent:
    def ask(self, question: object) -> object:
        return None


class Bell(BaseTrigger):
    """An author's trigger."""

    def __init__(self, rope: Any = None) -> None:
        super().__init__()
        self.rope = rope

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Bell", {"rope": self.rope}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(self.rope)


class Returns(Bell):
    """Its `serialize` returns what it is told, or raises it."""

    def serialize(self) -> Any:
        if isinstance(self.rope, Exception):
            raise self.rope
        return self.rope


class Louder(Bell):
    """It inherits `serialize`, which names its parent, and means its own `run`."""

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent("LOUD")


class Renamed(Bell):
    """It inherits all."""


class LateBell(DateTimeTrigger):
    """It may do more than to wait for a time."""


class Waits(BaseOperator):
    """Defers as it is told to, and goes on."""

    template_fields = ("field",)

    def __init__(self, how: Callable[[Waits, Any], Any] | None = None, field: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.how, self.field = how, field

    def execute(self, context: Any) -> Any:
        assert self.how is not None
        self.how(self, context)

    def go_on(self, context: Any, event: Any = None, **kwargs: Any) -> Any:
        return {"event": event, "ti": context["ti"].task_id, "kwargs": kwargs, "field": self.field}

    def alone(self, context: Any) -> None:
        """Takes no event."""

    def narrow(self, context: Any, event: Any) -> None:
        """Takes nothing else."""

    def once_more(self, context: Any, event: Any) -> Any:
        self.defer(trigger=Bell(event), method_name="go_on", kwargs={"seen": [event]})

    def fails(self, context: Any, event: Any) -> None:
        raise AirflowException("the file is empty")


class Sensor(BaseSensorOperator):
    def go_on(self, context: Any, event: Any = None) -> None:
        raise AirflowException("not there")


def attempt(
    operator: BaseOperator,
    *,
    resume: Resumption | None = None,
    deadline_at: int | None = None,
    file: str = "/nowhere/d.py",
    timeout_s: float | None = None,
    started_at: int | None = None,
) -> AttemptResult:
    facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
    return run_attempt(
        operator.dag,
        Attempt(
            attempt_id="a",
            group_no=3,
            epoch=1,
            run=facts,
            task_id=operator.task_id,
            task_no=5,
            file=file,
            resume=resume,
            deadline_at=deadline_at,
            timeout_s=timeout_s,
            started_at=started_at,
        ),
        Silent(),
    )


def waits(how: Callable[[Waits, Any], Any] | None = None, **arguments: Any) -> Waits:
    return Waits(how, task_id="t", dag=DAG("d", schedule=None), **arguments)


def deferred(how: Callable[[Waits, Any], Any], **arguments: Any) -> Deferral:
    result = attempt(waits(how), **arguments)
    assert (result.outcome, result.reason) == ("deferred", None)
    assert result.wait is not None
    return result.wait


def refused(how: Callable[[Waits, Any], Any], **arguments: Any) -> str:
    result = attempt(waits(how), **arguments)
    assert (result.outcome, result.retryable, result.wait) == ("failed", False, None)
    assert result.reason is not None and "'t'" in result.reason
    return result.reason


def event(value: object) -> DeferralResult:
    return DeferralResult(outcome="event", payload=dumps(value))


def resumed(
    operator: BaseOperator,
    fired: DeferralResult,
    *,
    method: str = "go_on",
    kwargs: dict[str, Any] | None = None,
    **arguments: Any,
) -> AttemptResult:
    return attempt(
        operator, resume=Resumption(next_method=method, next_kwargs=dumps(kwargs or {}), result=fired), **arguments
    )


def returned(result: AttemptResult) -> Any:
    assert result.outcome == "success", result.reason
    return {item.key: loads(item.value) for item in result.xcoms}["return_value"]


# Out


def test_a_deferral_says_what_is_waited_for_and_where_it_goes_on() -> None:
    wait = deferred(
        lambda op, _: op.defer(trigger=Bell(1), method_name="go_on", kwargs={"n": 2}, timeout=dt.timedelta(seconds=90))
    )
    assert wait == Deferral(
        classpath=f"{__name__}.Bell", kwargs='{"rope": 1}', next_method="go_on", next_kwargs='{"n": 2}', timeout_s=90.0
    )


@pytest.mark.parametrize("timeout", [1.5, 2, dt.timedelta(hours=1)])
def test_a_timeout_is_a_timedelta_or_seconds(timeout: Any) -> None:
    expected = timeout.total_seconds() if isinstance(timeout, dt.timedelta) else timeout
    assert deferred(lambda op, _: op.defer(trigger=Bell(), method_name="go_on", timeout=timeout)).timeout_s == expected


def test_it_may_be_raised_anywhere_inside_execute() -> None:
    def deep(op: Waits, _: Any) -> None:
        try:
            [op.defer(trigger=Bell(), method_name="go_on") for _ in range(3)]
        except Exception:
            pytest.fail("a deferral is no Exception")

    assert deferred(deep).next_method == "go_on"


def test_what_was_pushed_before_is_kept() -> None:
    def push(op: Waits, context: Any) -> None:
        context["ti"].xcom_push("k", {1})
        op.defer(trigger=Bell(), method_name="go_on")

    assert [(item.key, loads(item.value)) for item in attempt(waits(push)).xcoms] == [("k", {1})]


def test_no_callback_is_called_for_a_deferral() -> None:
    called: list[str] = []
    names = ("on_success_callback", "on_failure_callback", "on_retry_callback", "on_skipped_callback")
    callbacks = {name: lambda _context, name=name: called.append(name) for name in names}
    operator = waits(lambda op, _: op.defer(trigger=Bell(), method_name="go_on"), **callbacks)
    assert attempt(operator).outcome == "deferred" and called == []


@pytest.mark.parametrize("ends", [False, True])
def test_an_exact_time_trigger_is_a_timer_of_the_owner(ends: bool) -> None:
    at_moment = deferred(
        lambda op, _: op.defer(trigger=DateTimeTrigger(WHEN, end_from_trigger=ends), method_name="go_on")
    )
    assert (at_moment.due_at, at_moment.ends_task) == (to_instant(WHEN), ends)
    before = SystemClock().now()
    after_span = deferred(
        lambda op, _: op.defer(
            trigger=TimeDeltaTrigger(dt.timedelta(hours=1), end_from_trigger=ends), method_name="go_on"
        )
    )
    assert after_span.due_at is not None and 0 <= after_span.due_at - before - 3600 * SECOND < 60 * SECOND
    assert (after_span.ends_task, after_span.due_in_s) == (ends, None)
    names = [wait.classpath.rpartition(".")[2] for wait in (at_moment, after_span)]
    assert names == ["DateTimeTrigger", "TimeDeltaTrigger"], "people read the class that the author wrote"


def test_a_subclass_of_a_time_trigger_is_run_as_it_is_written() -> None:
    wait = deferred(lambda op, _: op.defer(trigger=LateBell(WHEN), method_name="go_on"))
    assert (wait.due_at, wait.ends_task, wait.classpath) == (None, False, f"{__name__}.LateBell")


def test_an_event_alone_may_have_to_end_the_task() -> None:
    assert deferred(lambda op, _: op.defer(trigger=Bell(), method_name=None)).next_method is None


def test_a_queue_of_its_own_goes_with_it() -> None:
    def how(op: Waits, _: Any) -> None:
        op.defer(trigger=Bell(), method_name="go_on")

    wait = attempt(waits(how, queue="far")).wait
    assert wait is not None and wait.queue == "far" and deferred(how).queue is None


# Refused, each in words that name the task, the trigger and what to do


@pytest.mark.parametrize(
    ("method", "kwargs", "words"),
    [
        ("nowhere", {}, "nowhere(), which Waits does not have; write `def nowhere(self, context, event=None)`"),
        ("alone", {}, "alone(), which does not take `event`; write `def alone(self, context, event=None)`"),
        ("narrow", {"n": 1}, "narrow(), which does not take what it would get: got an unexpected keyword argument 'n'"),
        (7, {}, "7(), which Waits does not have"),
    ],
)
def test_a_method_that_cannot_go_on_is_refused(method: Any, kwargs: dict[str, Any], words: str) -> None:
    reason = refused(lambda op, _: op.defer(trigger=Bell(), method_name=method, kwargs=kwargs))
    assert words in reason and "Bell" in reason


@pytest.mark.parametrize("kwargs", [[1], {1: 2}, "text"])
def test_kwargs_that_are_no_keyword_arguments_are_refused(kwargs: Any) -> None:
    assert "the kwargs must be a dict with text as keys" in refused(
        lambda op, _: op.defer(trigger=Bell(), method_name="go_on", kwargs=kwargs)
    )


def test_values_without_a_stored_form_are_refused_by_their_key() -> None:
    assert "kwargs" in (
        reason := refused(lambda op, _: op.defer(trigger=Bell(), method_name="go_on", kwargs={"f": {"g": object()}}))
    )
    assert "['f']['g']" in reason
    assert "the arguments of Bell" in (
        reason := refused(lambda op, _: op.defer(trigger=Bell({"x": print}), method_name="go_on"))
    )
    assert "['rope']['x']" in reason


@pytest.mark.parametrize(
    ("returns", "words"),
    [
        (None, "returned None; return ('package.module.Class', {argument: value})"),
        ("path", "returned a value of type str"),
        (("a.B",), "returned (str)"),
        ((Bell, {}), "return ('package.module.Class'"),
        (("Bell", {}), "return ('package.module.Class'"),
        (("no.such.Trigger", {}), "no.such.Trigger cannot be imported"),
        (
            ("gnomon.authoring.sdk.deferral.triggers.TriggerEvent", {}),
            "gnomon.authoring.sdk.deferral.triggers.TriggerEvent is not a trigger",
        ),
        ((f"{__name__}.Bell", {"tune": 1}), "cannot be made with tune=: got an unexpected keyword argument 'tune'"),
        ((f"{__name__}.Bell", {1: 1}), "must be a dict with text as keys"),
        (KeyError("gone"), "serialize() of Returns raised KeyError: 'gone'"),
    ],
)
def test_a_serialize_that_says_nonsense_is_refused(returns: Any, words: str) -> None:
    assert words in refused(lambda op, _: op.defer(trigger=Returns(returns), method_name="go_on"))


def test_no_refusal_shows_a_value() -> None:
    secret = "hunter2"
    for returns in (
        (secret,),
        [secret, {secret: secret}],
        ("a.B", {1: secret}),
        (f"{__name__}.Bell", {"tune": secret}),
        secret,
    ):
        assert secret not in refused(
            lambda op, _, returns=returns: op.defer(trigger=Returns(returns), method_name="go_on")
        )
    for kwargs in ({"k": {secret: print}}, {"k": (secret, print)}):
        reason = refused(lambda op, _, kwargs=kwargs: op.defer(trigger=Bell(kwargs), method_name="go_on"))
        assert f"'{secret}'" not in reason.partition("at [")[0]
    assert secret not in refused(lambda op, _: op.defer(trigger=secret, method_name="go_on"))


def test_what_is_no_trigger_is_refused() -> None:
    assert "is no trigger" in refused(lambda op, _: op.defer(trigger=object(), method_name="go_on"))
    assert "Bell is a class; give it an object of it: Bell(...)" in refused(
        lambda op, _: op.defer(trigger=Bell, method_name="go_on")
    )


def test_a_run_that_serialize_leaves_out_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert deferred(lambda op, _: op.defer(trigger=Renamed(), method_name="go_on")).classpath == f"{__name__}.Bell"
    assert "serialize()" not in caplog.text
    assert deferred(lambda op, _: op.defer(trigger=Louder(), method_name="go_on")).classpath == f"{__name__}.Bell"
    assert (
        f"serialize() of Louder names {__name__}.Bell, so Bell.run() waits and Louder.run() never runs" in caplog.text
    )


def _module(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(
        "from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent\n"
        "class Mine(BaseTrigger):\n"
        "    def serialize(self):\n        return f'{__name__}.Mine', {}\n"
        "    async def run(self):\n        yield TriggerEvent(1)\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return __import__(name).Mine


def test_a_trigger_among_the_dag_files_is_refused_and_one_in_the_plugins_folder_is_not(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_trigger(cls: Any) -> Callable[[Waits, Any], Any]:
        return lambda op, _: op.defer(trigger=cls(), method_name="go_on")

    beside = _module(folders / "dags", "mine_beside_dags", monkeypatch)
    reason = refused(with_trigger(beside))
    assert "mine_beside_dags.py, among the DAG files" in reason and str(folders / "plugins") in reason
    elsewhere = _module(folders / "else", "mine_beside_file", monkeypatch)
    assert "among the DAG files" in refused(with_trigger(elsewhere), file=str(folders / "else" / "d.py"))
    assert deferred(with_trigger(elsewhere), file=str(folders / "d.py")).classpath == "mine_beside_file.Mine"
    plugin = _module(folders / "plugins", "mine_as_plugin", monkeypatch)
    assert deferred(with_trigger(plugin)).classpath == "mine_as_plugin.Mine"
    plugin.__module__ = "gnomon_dag_0123456789abcdef_d"
    assert "among the DAG files" in refused(with_trigger(plugin))


def test_a_trigger_in_a_dag_bundle_is_refused_because_a_triggerer_has_one_version_of_a_module(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = {
        "name": "team",
        "classpath": "airflow.providers.git.bundles.git.GitDagBundle",
        "kwargs": {"tracking_ref": "main", "repo_url": "/r", "subdir": "dags"},
    }
    local = {
        "name": "more",
        "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
        "kwargs": {"path": str(folders / "more")},
    }
    set_current_config(
        load_config({"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps([git, local])}, home=folders)
    )
    for name, root in (
        ("team", folders / "dag_bundles" / "team" / "versions" / "c1" / "dags"),
        ("more", folders / "more"),
    ):
        cls = _module(root, f"mine_in_{name}", monkeypatch)
        reason = refused(
            lambda op, _, cls=cls: op.defer(trigger=cls(), method_name="go_on"), file=str(root / "deep" / "d.py")
        )
        assert (
            f"in DAG bundle '{name}'. A triggerer runs the triggers of all runs in one process" in reason
            and str(folders / "plugins") in reason
        )


def test_a_trigger_inside_a_function_is_refused() -> None:
    class Local(Bell):
        pass

    assert "is defined inside a function" in refused(lambda op, _: op.defer(trigger=Local(), method_name="go_on"))


def test_a_function_cannot_defer() -> None:
    def function() -> None:
        raise TaskDeferred(trigger=Bell(), method_name="execute_complete")

    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="plain", python_callable=function)
        task(function, task_id="decorated")()
    for operator in dag.tasks:
        result = attempt(operator)
        assert (result.outcome, result.retryable) == ("failed", False)
        assert result.reason is not None and "a function cannot resume after a deferral" in result.reason


class OwnPython(PythonOperator):
    """An author's operator upon ours, with a method to go on in."""

    def go_on(self, context: Any, event: Any = None) -> Any:
        return event


def test_an_operator_built_upon_one_for_functions_may_defer() -> None:
    def function() -> None:
        raise TaskDeferred(trigger=Bell(), method_name="go_on")

    operator = OwnPython(task_id="t", python_callable=function, dag=DAG("d", schedule=None))
    assert attempt(operator).outcome == "deferred"
    assert returned(resumed(operator, event(5))) == 5


# Back in


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_as_they_went(name: str) -> None:
    wait = deferred(lambda op, _: op.defer(trigger=Bell(VALUES[name]), method_name="go_on", kwargs={"v": VALUES[name]}))
    again = loads(wait.kwargs)
    assert again == {"rope": VALUES[name]}
    got = returned(resumed(waits(), event(VALUES[name]), kwargs={"v": VALUES[name]}))
    for value in (got["event"], got["kwargs"]["v"]):
        assert value == VALUES[name] and type(value) is type(VALUES[name])


def test_a_new_object_with_rendered_fields_goes_on() -> None:
    operator = waits(field="{{ ti.task_id }}!")
    got = returned(resumed(operator, event("rung"), kwargs={"n": 1}))
    assert got == {"event": "rung", "ti": "t", "kwargs": {"n": 1}, "field": "t!"}
    assert operator.field == "{{ ti.task_id }}!"


def test_the_event_of_a_timer_is_its_moment() -> None:
    seen: list[Any] = []

    class Looks(Waits):
        def go_on(self, context: Any, event: Any = None, **kwargs: Any) -> None:
            seen.append(event)

    resumed(Looks(task_id="t", dag=DAG("d", schedule=None)), DeferralResult(outcome="event", due_at=to_instant(WHEN)))
    assert seen == [pendulum.datetime(2030, 1, 2, 3)] and isinstance(seen[0], pendulum.DateTime)


def test_a_task_may_defer_again() -> None:
    result = resumed(waits(), event("first"), method="once_more")
    assert result.wait == Deferral(
        classpath=f"{__name__}.Bell", kwargs='{"rope": "first"}', next_method="go_on", next_kwargs='{"seen": ["first"]}'
    )


def test_the_task_instance_started_when_its_try_did() -> None:
    class Looks(Waits):
        def go_on(self, context: Any, event: Any = None, **kwargs: Any) -> Any:
            return context["ti"].start_date

    operator = Looks(task_id="t", dag=DAG("d", schedule=None))
    assert returned(resumed(operator, event(1), started_at=to_instant(WHEN))) == WHEN


def test_hooks_and_callbacks_are_called_as_for_execute() -> None:
    called: list[str] = []
    operator = waits(
        pre_execute=lambda _: called.append("pre"),
        post_execute=lambda _c, _r: called.append("post"),
        on_execute_callback=lambda _: called.append("on_execute"),
        on_success_callback=lambda _: called.append("on_success"),
    )
    returned(resumed(operator, event(1)))
    assert called == ["on_execute", "pre", "post", "on_success"]


def test_a_method_that_is_gone_is_told_by_name() -> None:
    result = resumed(waits(), event(1), method="was_here")
    assert (result.outcome, result.retryable) == ("failed", False)
    assert result.reason is not None and "was_here(), and Waits no longer has that method" in result.reason


@pytest.mark.parametrize(
    ("fired", "words"),
    [
        (DeferralResult(outcome="timeout", reason="it took 5 s"), "TaskDeferralTimeout: it took 5 s"),
        (DeferralResult(outcome="error", reason="ValueError: no"), "TaskDeferralError: ValueError: no"),
        (DeferralResult(outcome="error"), "TaskDeferralError: Trigger failure"),
    ],
)
def test_a_wait_without_an_event_fails_the_try(fired: DeferralResult, words: str) -> None:
    result = resumed(waits(), fired)
    assert (result.outcome, result.reason, result.retryable) == ("failed", words, True)


def test_a_sensor_that_fails_after_its_wait_is_skipped_when_it_may_be() -> None:
    dag = DAG("d", schedule=None)
    assert resumed(Sensor(task_id="hard", dag=dag), event(1)).outcome == "failed"
    assert resumed(Sensor(task_id="soft", soft_fail=True, dag=dag), event(1)).outcome == "skipped"
    assert (
        resumed(Sensor(task_id="never", never_fail=True, dag=dag), DeferralResult(outcome="error")).outcome == "skipped"
    )


def test_the_execution_timeout_of_a_try_is_one_deadline() -> None:
    past = SystemClock().now() - SECOND
    result = resumed(waits(), event(1), deadline_at=past, timeout_s=30.0)
    assert (result.outcome, result.retryable) == ("failed", True)
    assert (
        result.reason
        == "AirflowTaskTimeout: task 't' ran for longer than its execution_timeout of 30 s, its waits included"
    )
    assert resumed(waits(), event(1), deadline_at=past + 60 * SECOND, timeout_s=0.001).outcome == "success"


def test_a_timeout_inside_a_resumed_method_calls_on_kill() -> None:
    killed: list[bool] = []

    class Spins(Waits):
        def go_on(self, context: Any, event: Any = None, **kwargs: Any) -> None:
            while True:
                time.sleep(0.01)

        def on_kill(self) -> None:
            killed.append(True)

    operator = Spins(task_id="t", dag=DAG("d", schedule=None))
    result = resumed(operator, event(1), deadline_at=SystemClock().now() + 2 * SECOND, timeout_s=30.0)
    assert result.outcome == "failed" and killed == [True]


# Starting from a trigger, with arguments that only the run knows


class Starts(Waits):
    template_fields = ("moment",)
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls="gnomon.authoring.operators.triggers.DateTimeTrigger",
        next_method="go_on",
        next_kwargs={"n": 1},
        timeout=dt.timedelta(hours=1),
        trigger_kwargs={"moment": "{{ logical_date }}"},
    )

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.moment = ""


def test_templates_of_a_start_are_rendered_on_a_worker_which_does_not_execute() -> None:
    result = attempt(Starts(task_id="t", dag=DAG("d", schedule=None)))
    assert result.wait is not None, result.reason
    assert (result.wait.due_at, result.wait.next_method, result.wait.next_kwargs, result.wait.timeout_s) == (
        0,
        "go_on",
        '{"n": 1}',
        3600.0,
    )


def test_a_task_that_started_from_its_trigger_goes_on_like_any_other() -> None:
    assert returned(resumed(Starts(task_id="t", dag=DAG("d", schedule=None)), event(3), kwargs={"n": 1}))["kwargs"] == {
        "n": 1
    }


def test_a_deferral_in_a_callback_changes_nothing() -> None:
    def callback(_: Any) -> None:
        raise TaskDeferred(trigger=SuccessTrigger(), method_name="go_on")

    def skip(_op: Waits, _: Any) -> None:
        raise AirflowSkipException

    assert attempt(waits(skip, on_skipped_callback=callback)).outcome == "skipped"


@pytest.mark.parametrize(
    ("outcome", "ended", "callback"),
    [
        ("success", "success", "success"),
        ("skipped", "skipped", "skipped"),
        ("failed", "failed", "failure"),
        ("error", "failed", "failure"),
        ("timeout", "failed", "failure"),
    ],
)
def test_callbacks_hear_of_a_task_that_its_wait_ended(outcome: str, ended: str, callback: str) -> None:
    heard: list[str] = []
    callbacks: dict[str, Any] = {
        f"on_{name}_callback": lambda context, name=name: heard.append(name)
        for name in ("success", "skipped", "failure")
    }
    result = resumed(waits(**callbacks), DeferralResult(outcome=outcome, reason="because"))
    assert (result.outcome, heard) == (ended, [callback])
    assert (
        result.reason is None
        if ended == "success"
        else "because" in str(result.reason) or outcome in ("error", "timeout")
    )


def test_a_misspelt_method_is_told_with_the_right_one() -> None:
    said = refused(lambda task, context: task.defer(trigger=Bell(), method_name="go_onn"))
    assert "go_onn(), which Waits does not have; did you mean go_on()?" in said


class Paces(BaseOperator):
    """Starts from a trigger; its instances differ."""

    template_fields = ("rope",)
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls=f"{__name__}.Bell", trigger_kwargs={"rope": "class"}, next_method="go_on", next_kwargs={"k": 1}
    )
    made: list[Any] = []

    def __init__(
        self, *, rope: Any = None, trigger_kwargs: Any = None, start_from_trigger: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rope, self.trigger_kwargs, self.start_from_trigger = rope, trigger_kwargs, start_from_trigger
        Paces.made.append(rope)

    def execute(self, context: Any) -> Any:
        return "executed"

    def go_on(self, context: Any, event: Any = None, k: int = 0) -> Any:
        return [self.rope, self.trigger_kwargs, event, k, context["ti"].map_index]


def _mapped(dag: DAG, map_index: int, length: int, resume: Resumption | None = None) -> AttemptResult:
    facts = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=to_instant(WHEN))
    attempt = Attempt(
        attempt_id="x",
        group_no=1,
        epoch=1,
        run=facts,
        task_id="t",
        task_no=0,
        file="/d.py",
        map_index=map_index,
        expanded_count=length,
        factor_lengths=((length,),),
        resume=resume,
    )
    return run_attempt(dag, attempt, Silent())


def test_each_instance_of_a_mapped_task_starts_from_its_own_trigger_before_its_operator_is_made() -> None:
    Paces.made.clear()
    with DAG("d", schedule=None) as dag:
        Paces.partial(task_id="t", rope="r").expand(
            trigger_kwargs=[{"rope": "{{ ds }} {{ ti.map_index }}"}, {"rope": 2}]
        )
    waits = [_mapped(dag, index, 2).wait for index in (0, 1)]
    assert [loads(wait.kwargs) for wait in waits if wait is not None] == [
        {"rope": "2030-01-02 0"},
        {"rope": 2},
    ] and Paces.made == []
    assert [(wait.next_method, loads(wait.next_kwargs)) for wait in waits if wait is not None] == [
        ("go_on", {"k": 1})
    ] * 2
    resumed = _mapped(
        dag,
        1,
        2,
        Resumption(
            next_method="go_on", next_kwargs=dumps({"k": 1}), result=DeferralResult(outcome="event", payload="7")
        ),
    )
    assert [loads(item.value) for item in resumed.xcoms] == [["r", {"rope": 2}, 7, 1, 1]] and Paces.made == ["r"]


def test_start_from_trigger_may_differ_between_instances() -> None:
    with DAG("d", schedule=None) as dag:
        Paces.partial(task_id="t").expand_kwargs(
            [{"start_from_trigger": True, "trigger_kwargs": {"rope": 1}}, {"start_from_trigger": False}]
        )
    first, second = _mapped(dag, 0, 2), _mapped(dag, 1, 2)
    assert first.wait is not None and loads(first.wait.kwargs) == {"rope": 1}
    assert second.outcome == "success" and [loads(item.value) for item in second.xcoms] == ["executed"]


def test_a_mapped_task_that_defers_is_made_again_with_its_element() -> None:
    with DAG("d", schedule=None) as dag:
        Waits.partial(
            task_id="t", how=lambda task, _: task.defer(trigger=Bell(task.field), method_name="go_on")
        ).expand(field=["a", "b"])
    wait = _mapped(dag, 1, 2).wait
    assert wait is not None and loads(wait.kwargs) == {"rope": "b"}
    resumed = _mapped(dag, 1, 2, Resumption(next_method="go_on", result=DeferralResult(outcome="event", payload="5")))
    assert [loads(item.value) for item in resumed.xcoms][-1] == {"event": 5, "ti": "t", "kwargs": {}, "field": "b"}


def test_an_instance_that_starts_from_a_trigger_with_wrong_arguments_fails_in_words() -> None:
    with DAG("d", schedule=None) as dag:
        Paces.partial(task_id="t").expand(trigger_kwargs=[{"roap": 1}])
    result = _mapped(dag, 0, 1)
    assert result.outcome == "failed" and "cannot be made with roap=" in str(result.reason)
