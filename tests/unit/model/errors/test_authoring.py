"""Errors of the dialect: their kinds, and what they say."""

from __future__ import annotations

import datetime as dt
import inspect

import pytest

from gnomon.model.errors import GnomonError, UserError, authoring


@pytest.mark.parametrize("name", ["AirflowTaskTimeout", "AirflowTaskTerminated", "TaskDeferred", "TaskAwaitingInput"])
def test_what_ends_a_try_from_outside_passes_through_except_exception(name: str) -> None:
    kind = getattr(authoring, name)
    assert issubclass(kind, BaseException)
    assert not issubclass(kind, Exception)


@pytest.mark.parametrize(
    "name",
    [
        "AirflowSkipException",
        "AirflowFailException",
        "AirflowSensorTimeout",
        "XComNotFound",
        "DuplicateTaskIdFound",
        "ParamValidationError",
        "AirflowRescheduleException",
    ],
)
def test_the_others_are_airflow_exceptions(name: str) -> None:
    assert issubclass(getattr(authoring, name), authoring.AirflowException)


def test_every_class_says_what_it_means() -> None:
    classes = [kind for name, kind in inspect.getmembers(authoring, inspect.isclass) if name in authoring.__all__]
    assert len(classes) > 50
    assert [kind.__name__ for kind in classes if not kind.__doc__] == []


def test_a_deferral_keeps_what_it_was_given() -> None:
    error = authoring.TaskDeferred(trigger="t", method_name="go_on", kwargs={"a": 1}, timeout=30)
    assert (error.trigger, error.method_name, error.kwargs, error.timeout) == (
        "t",
        "go_on",
        {"a": 1},
        dt.timedelta(seconds=30),
    )


def test_skipped_tasks_are_given_as_ids_or_pairs() -> None:
    assert authoring.DownstreamTasksSkipped(tasks=["a", ("b", 3)]).task_ids == ["a", "b"]


def test_messages_name_the_thing() -> None:
    assert "'k'" in str(authoring.XComNotFound("d", "t", "k"))
    assert "other.py" in str(authoring.AirflowDagDuplicatedIdException("d", "new.py", "other.py"))


def test_a_users_mistake_is_told_from_faults_of_ours() -> None:
    assert issubclass(UserError, GnomonError)
