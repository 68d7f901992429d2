"""Sensors: poking, timing out, giving the slot back, and the flags that turn failures into skips."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import time_machine

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks import sensor as sensor_module
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator, PokeReturnValue, poke_mode_only
from gnomon.model.errors.authoring import (
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
)

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Wait(BaseSensorOperator):
    """Gives the answers one after the other; an exception among them is raised."""

    def __init__(self, answers: list[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.answers = list(answers)

    def poke(self, context: Any) -> Any:
        answer = self.answers.pop(0) if self.answers else False
        if isinstance(answer, Exception):
            raise answer
        return answer


class Ti:
    run_id = "r"

    def __init__(self, first: dt.datetime | None = None) -> None:
        self.first = first

    def get_first_reschedule_date(self, context: Any) -> dt.datetime | None:
        return self.first


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses; time passes by them alone."""
    pauses: list[float] = []

    class Clock:
        def now(self) -> int:
            return round((NOW.timestamp() + sum(pauses)) * 1e6)

        def monotonic(self) -> float:
            return sum(pauses)

    monkeypatch.setattr(sensor_module.time, "sleep", pauses.append)
    monkeypatch.setattr(sensor_module, "SystemClock", Clock)
    return pauses


def make(answers: list[Any], **kwargs: Any) -> Wait:
    with DAG("d"):
        return Wait(answers, task_id="t", **kwargs)


def test_it_pokes_until_the_answer_is_yes(slept: list[float]) -> None:
    assert make([False, False, True], poke_interval=10).execute({"ti": Ti()}) is None
    assert slept == [10, 10]


def test_a_value_with_the_answer_is_returned(slept: list[float]) -> None:
    assert make([PokeReturnValue(False, "no"), PokeReturnValue(True, "yes")]).execute({"ti": Ti()}) == "yes"


def test_it_times_out(slept: list[float]) -> None:
    with pytest.raises(AirflowSensorTimeout, match=r"'t' waited 60 s, longer than its timeout of 55 s"):
        make([], poke_interval=20, timeout=55).execute({"ti": Ti()})


@pytest.mark.parametrize("flag", ["soft_fail", "never_fail"])
def test_a_timeout_is_a_skip_when_told_so(slept: list[float], flag: str) -> None:
    with pytest.raises(AirflowSkipException, match=flag):
        make([], poke_interval=20, timeout=5, **{flag: True}).execute({"ti": Ti()})


def test_an_error_fails_the_sensor(slept: list[float]) -> None:
    with pytest.raises(ValueError, match="broken"):
        make([ValueError("broken")]).execute({"ti": Ti()})


def test_an_error_is_a_skip_under_never_fail_but_not_under_soft_fail(slept: list[float]) -> None:
    with pytest.raises(AirflowSkipException, match="broken"):
        make([ValueError("broken")], never_fail=True).execute({"ti": Ti()})
    with pytest.raises(ValueError, match="broken"):
        make([ValueError("broken")], soft_fail=True).execute({"ti": Ti()})
    with pytest.raises(AirflowSkipException):
        make([AirflowFailException("over")], soft_fail=True).execute({"ti": Ti()})


def test_an_error_is_logged_and_poking_goes_on_under_silent_fail(slept: list[float]) -> None:
    assert make([ValueError("broken"), True], silent_fail=True).execute({"ti": Ti()}) is None
    assert len(slept) == 1


def test_reschedule_mode_gives_the_slot_back(slept: list[float]) -> None:
    with pytest.raises(AirflowRescheduleException) as found:
        make([False], mode="reschedule", poke_interval=30).execute({"ti": Ti()})
    assert found.value.reschedule_date == NOW + dt.timedelta(seconds=30)
    assert slept == []


def test_reschedule_mode_counts_from_the_first_poke_of_the_first_try(slept: list[float]) -> None:
    with pytest.raises(AirflowSensorTimeout, match="waited 3600 s"):
        make([False], mode="reschedule", timeout=60).execute({"ti": Ti(NOW - dt.timedelta(hours=1))})


def test_backoff_doubles_within_bounds(slept: list[float]) -> None:
    arguments: dict[str, Any] = {"poke_interval": 8, "exponential_backoff": True, "max_wait": 100, "timeout": 10_000}
    make([False] * 8 + [True], **arguments).execute({"ti": Ti()})
    first = list(slept)
    assert first[0] >= 4
    assert first[0] < 8
    for index, pause in enumerate(first):
        assert min(8 * 2 ** (index - 1), 100) <= pause <= min(8 * 2**index, 100)


def test_the_backoff_follows_from_the_start_of_the_wait() -> None:
    sensor = make([], poke_interval=8, exponential_backoff=True)
    pauses = [
        [sensor._get_next_poke_interval(start, lambda: 10.0, count) for count in range(1, 9)]
        for start in (NOW, NOW, NOW + dt.timedelta(seconds=1))
    ]
    assert pauses[0] == pauses[1] != pauses[2]


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_an_author_may_override_the_pause(slept: list[float], mode: str) -> None:
    class Paced(Wait):
        def _get_next_poke_interval(self, started_at: Any, run_duration: Any, poke_count: int) -> float:
            assert run_duration() >= 0 and (isinstance(started_at, dt.datetime) or mode == "poke")
            return 100.0 + poke_count

    with DAG("d"):
        sensor = Paced([False, False, True], task_id="t", mode=mode)
    if mode == "poke":
        sensor.execute({"ti": Ti()})
        assert slept == [101.0, 102.0]
    else:
        with pytest.raises(AirflowRescheduleException) as found:
            sensor.execute({"ti": Ti()})
        assert found.value.reschedule_date == NOW + dt.timedelta(seconds=101)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mode": "defer"}, "mode must be one of poke, reschedule"),
        ({"poke_interval": -1}, "0 or more"),
        ({"timeout": -1}, "0 or more"),
        ({"soft_fail": True, "never_fail": True}, "exclude"),
        ({"poke_interval": "often"}, "timedelta or seconds"),
    ],
)
def test_wrong_arguments_name_the_sensor(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as found:
        make([], **arguments)
    assert "Sensor 't'" in str(found.value)


def test_poke_mode_only_refuses_other_modes() -> None:
    class Quick(Wait):
        pass

    poke_mode_only(Quick)
    with (
        DAG("d"),
        pytest.raises(
            ValueError,
            match=r"Cannot set mode to 'reschedule'. Only 'poke' is acceptable: Quick .*test_sensor.py:\d+.*Leave mode= out",
        ),
    ):
        Quick([], task_id="t", mode="reschedule")
    with DAG("d"):
        sensor = Quick([], task_id="t")
    with pytest.raises(ValueError, match="Cannot set mode to 'reschedule'"):
        sensor.mode = "reschedule"
    assert sensor.mode == "poke" and not sensor.reschedule
    with pytest.raises(ValueError, match="sensor classes"):
        poke_mode_only(int)


def test_the_system_clock_is_asked_outside_of_tests() -> None:
    with time_machine.travel(NOW, tick=False), pytest.raises(AirflowRescheduleException) as found:
        make([False], mode="reschedule", poke_interval=5).execute({"ti": Ti()})
    assert found.value.reschedule_date == NOW + dt.timedelta(seconds=5)
