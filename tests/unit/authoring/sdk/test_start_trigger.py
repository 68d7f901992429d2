"""Tasks that start from their trigger: what stands in the spec, and what is wrong already where the file is parsed."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.deferral.deferral_checks import encode_kwargs
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, StartTriggerArgs, TriggerEvent
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.attempts import XCOM_MAX_BYTES
from gnomon.model.deferral import Deferral
from gnomon.model.errors.authoring import DeferralRefused
from gnomon.model.instants import to_instant
from gnomon.model.spec import TaskSpec

TEMPORAL = "airflow.providers.standard.triggers.temporal."
OURS = "gnomon.authoring.operators.triggers.temporal."
HOUR = dt.timedelta(hours=1)
WHEN = dt.datetime(2030, 1, 2, tzinfo=dt.UTC)


class Rings(BaseTrigger):
    def __init__(self, rope: int, tune: str = "") -> None:
        super().__init__()
        self.rope, self.tune = rope, tune

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Rings", {"rope": self.rope, "tune": self.tune}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(self.rope)


class Waits(BaseOperator):
    template_fields = ("tune",)
    start_from_trigger = True
    tune = ""

    def __init__(self, *, args: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if args is not None:
            self.start_trigger_args = args

    def go_on(self, context: Any, event: Any = None) -> None:
        """What happens after the wait."""

    def alone(self, context: Any) -> None:
        """Takes no event."""


def spec_of(dag: DAG) -> dict[str, TaskSpec]:
    return {task.task_id: task for task in build_dag_spec(dag, "/nowhere/f.py", load_class).spec.tasks}


def start(path: str, kwargs: Any = None, method: Any = "go_on", **arguments: Any) -> TaskSpec:
    args = StartTriggerArgs(trigger_cls=path, next_method=method, trigger_kwargs=kwargs, **arguments)
    dag = DAG("d", schedule=None)
    Waits(task_id="t", dag=dag, args=args)
    return spec_of(dag)["t"]


def test_a_task_that_starts_from_nothing_has_no_wait() -> None:
    with DAG("d", schedule=None) as dag:
        BaseOperator(task_id="t")
    spec = spec_of(dag)["t"]
    assert (spec.start_wait, spec.is_sensor, spec.soft_fail) == (None, False, False)


def test_an_authors_trigger_stands_there_with_its_arguments() -> None:
    spec = start(f"{__name__}.Rings", {"rope": 1}, next_kwargs=None, timeout=HOUR)
    assert spec.start_wait == Deferral(
        classpath=f"{__name__}.Rings", kwargs='{"rope": 1}', next_method="go_on", timeout_s=3600.0
    )


@pytest.mark.parametrize(
    ("kwargs", "seconds"),
    [
        ({"delta": HOUR}, 3600.0),
        ({"moment": HOUR}, 3600.0),
        ({"moment": 90}, 90.0),
        ({"hours": 1}, 3600.0),
        ({"minutes": 1, "seconds": 1.5}, 61.5),
        ({"days": 1, "weeks": 1}, 8 * 86400.0),
    ],
)
def test_a_span_is_a_timer_from_the_deferral_on(kwargs: dict[str, Any], seconds: float) -> None:
    for path in (
        f"{TEMPORAL}TimeDeltaTrigger",
        "airflow.triggers.temporal.TimeDeltaTrigger",
        f"{OURS}TimeDeltaTrigger",
    ):
        wait = start(path, kwargs).start_wait
        assert wait is not None
        assert (wait.classpath, wait.due_in_s, wait.due_at, wait.ends_task) == (
            f"{OURS}TimeDeltaTrigger",
            seconds,
            None,
            False,
        )


def test_a_moment_is_a_timer_that_may_end_the_task() -> None:
    wait = start(f"{TEMPORAL}DateTimeTrigger", {"moment": WHEN, "end_from_trigger": True}, method=None).start_wait
    assert wait is not None
    assert (wait.due_at, wait.due_in_s, wait.ends_task, wait.next_method) == (to_instant(WHEN), None, True, None)


def test_the_same_file_gives_the_same_spec_each_time() -> None:
    one, other = (start(f"{TEMPORAL}TimeDeltaTrigger", {"hours": 1}) for _ in range(2))
    assert one == other


class WaitsHours(BaseSensorOperator):
    """As the public guide writes it: the arguments of the class are changed by each instance."""

    start_trigger_args = StartTriggerArgs(
        trigger_cls=f"{TEMPORAL}TimeDeltaTrigger",
        trigger_kwargs={},
        next_method="execute_complete",
        next_kwargs=None,
        timeout=None,
    )
    start_from_trigger = True

    def __init__(
        self, *, trigger_kwargs: dict[str, Any] | None = None, start_from_trigger: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        assert self.start_trigger_args is not None
        if trigger_kwargs is not None:
            self.start_trigger_args.trigger_kwargs = trigger_kwargs
        else:
            assert self.start_trigger_args.trigger_kwargs is not None
            self.start_trigger_args.trigger_kwargs["hours"] = 2
        self.start_from_trigger = start_from_trigger

    def execute_complete(self, context: Any, event: Any = None) -> None:
        return


def test_each_instance_has_its_own_start() -> None:
    with DAG("d", schedule=None) as dag:
        WaitsHours(task_id="one", trigger_kwargs={"hours": 1})
        WaitsHours(task_id="two")
        WaitsHours(task_id="three", trigger_kwargs={"minutes": 3})
        WaitsHours(task_id="worker", start_from_trigger=False)
    spans = {name: task.start_wait and task.start_wait.due_in_s for name, task in spec_of(dag).items()}
    assert spans == {"one": 3600.0, "two": 7200.0, "three": 180.0, "worker": None}
    assert WaitsHours.start_trigger_args is not None and WaitsHours.start_trigger_args.trigger_kwargs == {}


def test_a_sensor_says_that_it_is_one() -> None:
    with DAG("d", schedule=None) as dag:
        BaseSensorOperator(task_id="hard")
        BaseSensorOperator(task_id="soft", soft_fail=True)
        BaseSensorOperator(task_id="never", never_fail=True)
    assert {name: (task.is_sensor, task.soft_fail) for name, task in spec_of(dag).items()} == {
        "hard": (True, False),
        "soft": (True, True),
        "never": (True, True),
    }


def test_a_template_is_left_to_a_worker() -> None:
    assert start(f"{__name__}.Rings", {"rope": 1, "tune": "{{ ds }}"}).start_wait is None
    assert start(f"{__name__}.Rings", {"rope": 1, "tune": "plain"}).start_wait is not None


def test_a_class_may_be_given_itself() -> None:
    wait = start(Rings, {"rope": 1}).start_wait  # type: ignore[arg-type]
    assert wait is not None and wait.classpath == f"{__name__}.Rings"


@pytest.mark.parametrize(
    ("path", "kwargs", "method", "words"),
    [
        (
            f"{__name__}.Rings",
            {},
            "go_on",
            "Rings(rope, tune='') cannot be made with no arguments: missing a required argument: 'rope'",
        ),
        (f"{__name__}.Rings", {"rope": 1, "bell": 2}, "go_on", "got an unexpected keyword argument 'bell'"),
        (f"{__name__}.Rings", {"rope": lambda: 1}, "go_on", "trigger_kwargs['rope'] is a function"),
        (f"{__name__}.Rings", {"rope": object()}, "go_on", "object at ['rope'] has no JSON form"),
        (f"{__name__}.Rings", [1], "go_on", "trigger_kwargs must be a dict"),
        (f"{__name__}.Rings", {"rope": 1}, "nowhere", "nowhere(), which Waits does not have"),
        (f"{__name__}.Rings", {"rope": 1}, "alone", "alone(), which does not take `event`"),
        (f"{__name__}.Bell", {}, "go_on", "has no 'Bell'"),
        ("no_such_package.Bell", {}, "go_on", "there is no module 'no_such_package' here"),
        (f"{__name__}.Waits", {}, "go_on", "is not a trigger"),
        (f"{TEMPORAL}TimeDeltaTrigger", {}, "go_on", "needs one span"),
        (f"{TEMPORAL}TimeDeltaTrigger", {"delta": HOUR, "hours": 1}, "go_on", "needs one span"),
        (f"{TEMPORAL}TimeDeltaTrigger", {"delta": "soon"}, "go_on", "delta must be a timedelta or seconds, not 'soon'"),
        (f"{TEMPORAL}DateTimeTrigger", {"moment": WHEN.replace(tzinfo=None)}, "go_on", "has no time zone"),
    ],
)
def test_a_start_that_cannot_work_is_an_error_of_the_dag(path: str, kwargs: Any, method: str, words: str) -> None:
    with pytest.raises(DeferralRefused) as raised:
        start(path, kwargs, method)
    assert words in str(raised.value)
    assert f"Task 't' ({__file__}:" in str(raised.value)


def test_a_start_without_arguments_says_how_to_write_them() -> None:
    with DAG("d", schedule=None) as dag:
        Waits(task_id="t")
    with pytest.raises(DeferralRefused, match="give it StartTriggerArgs"):
        spec_of(dag)


def test_the_limit_of_the_arguments_of_a_deferral_counts_bytes_of_text_that_is_not_ascii() -> None:
    around = len('{"k": ""}')
    characters = (XCOM_MAX_BYTES - around) // 2
    assert encode_kwargs({"k": "é" * characters}, "the keyword arguments", "Task 't'")
    with pytest.raises(
        DeferralRefused, match=rf"take {2 * (characters + 1) + around} bytes, the limit is {XCOM_MAX_BYTES} bytes"
    ):
        encode_kwargs({"k": "é" * (characters + 1)}, "the keyword arguments", "Task 't'")
