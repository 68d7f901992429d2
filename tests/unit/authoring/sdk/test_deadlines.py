"""Deadlines in a DAG file: what is refused, what is warned about, and what the spec of the DAG has of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.authoring.sdk import (
    DAG,
    AsyncCallback,
    BaseDeadlineReference,
    DeadlineAlert,
    DeadlineReference,
    SyncCallback,
    VariableInterval,
    deadline_reference,
)
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.dags.executor_checks import check_executors
from gnomon.model.errors.installation_errors import UnknownExecutorException
from gnomon.model.executors import parse_executors
from gnomon.model.instants import to_instant
from gnomon.model.run_callbacks import DeadlineSpec

HOUR = timedelta(hours=1)


def call() -> None: ...


async def call_later() -> None: ...


CALL = SyncCallback(call)
PATH = f"{__name__}.call"


def specs(*alerts: DeadlineAlert) -> tuple[DeadlineSpec, ...]:
    return build_dag_spec(DAG("d", schedule=None, deadline=list(alerts)), "f.py").spec.deadlines


def test_each_reference_has_its_place_in_the_spec() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert specs(
        DeadlineAlert(DeadlineReference.DAGRUN_LOGICAL_DATE, HOUR, CALL, name="one"),
        DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, CALL),
        DeadlineAlert(DeadlineReference.FIXED_DATETIME(moment), HOUR, CALL),
        DeadlineAlert(DeadlineReference.AVERAGE_RUNTIME(min_runs=2), HOUR, CALL),
        DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, VariableInterval("span"), CALL),
    ) == (
        DeadlineSpec(reference="logical_date", interval_s=3600, name="one", callback=PATH),
        DeadlineSpec(reference="queued_at", interval_s=3600, callback=PATH),
        DeadlineSpec(reference="fixed", at=to_instant(moment), interval_s=3600, callback=PATH),
        DeadlineSpec(reference="average_runtime", max_runs=10, min_runs=2, interval_s=3600, callback=PATH),
        DeadlineSpec(reference="author", callback=PATH),
    )


def test_a_class_of_an_author_is_registered_with_and_without_parentheses() -> None:
    @deadline_reference
    class Bare(BaseDeadlineReference): ...

    @deadline_reference(DeadlineReference.TYPES.DAGRUN_QUEUED)
    class Queued(BaseDeadlineReference): ...

    assert isinstance(DeadlineReference.Bare, Bare) and Bare in DeadlineReference.TYPES.DAGRUN_CREATED  # type: ignore[attr-defined]
    assert Queued in DeadlineReference.TYPES.DAGRUN_QUEUED and {Bare, Queued} <= set(DeadlineReference.TYPES.DAGRUN)
    assert [spec.reference for spec in specs(DeadlineAlert(Bare(), HOUR, CALL))] == ["author"]
    with pytest.raises(ValueError, match="must inherit from BaseDeadlineReference"):
        deadline_reference(int)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, call), "wrap the function: SyncCallback"),
        (lambda: DeadlineAlert("queued", HOUR, CALL), "use one of DeadlineReference"),
        (lambda: DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, 5, CALL), "no timedelta or VariableInterval"),
        (lambda: SyncCallback(call, {"context": 1}), "cannot have the key 'context'"),
        (lambda: SyncCallback("not a path"), "no dotted path"),
        (lambda: AsyncCallback(call), "not awaitable; define it with `async def`"),
        (lambda: DeadlineReference.AVERAGE_RUNTIME(min_runs=0), "min_runs must be at least 1"),
        (lambda: DAG("d", schedule=None, deadline=5), "is no DeadlineAlert"),
        (
            lambda: DAG(
                "d",
                schedule=None,
                deadline=DeadlineAlert(DeadlineReference.AVERAGE_RUNTIME(), VariableInterval("x"), CALL),
            ),
            "cannot be used with a VariableInterval",
        ),
    ],
)
def test_a_mistake_is_refused_with_a_remedy(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError, ImportError, AttributeError), match=words.replace("(", "\\(")):
        make()


def test_callbacks_are_equal_by_path_and_arguments() -> None:
    assert (
        AsyncCallback(call_later, {"a": 1})
        == AsyncCallback(f"{__name__}.call_later", {"a": 1})
        != AsyncCallback(call_later)
    )
    assert SyncCallback(call) != AsyncCallback(call_later)


def test_the_executor_of_a_callback_is_in_the_spec() -> None:
    dag = DAG(
        "d",
        schedule=None,
        deadline=DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, SyncCallback(call, executor="CeleryExecutor")),
    )
    [deadline] = build_dag_spec(dag, "f.py").spec.deadlines
    assert deadline.executor == "CeleryExecutor"
    assert not dag.warnings


def test_a_callback_with_an_unknown_executor_is_refused() -> None:
    dag = DAG(
        "d",
        schedule=None,
        deadline=DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, HOUR, SyncCallback(call, executor="Celery")),
    )
    with pytest.raises(
        UnknownExecutorException,
        match=r"a SyncCallback of DAG 'd' \(.*test_deadlines.py:\d+\) names the executor 'Celery', which is not configured",
    ):
        check_executors(dag, parse_executors("LocalExecutor"))
