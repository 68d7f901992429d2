"""Sensors: tasks that check a condition repeatedly until it is true."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from typing import Any, ClassVar

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.arguments.notset import NOTSET, ArgNotSet
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.tasks.decorated_operators import DecoratedOperator
from gnomon.authoring.sdk.tasks.function_calls import call_with_context
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.clock import SystemClock, skip_time
from gnomon.model.errors.authoring import (
    AirflowException,
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTimeout,
    TaskDeferralError,
    TaskDeferralTimeout,
)
from gnomon.model.errors.error_text import error_text
from gnomon.model.instants import add_seconds, to_datetime, to_instant

MODES = ("poke", "reschedule")
SLEEP_MAX_S = 1e9
"""The longest sleep that every system takes."""
_ARGUMENTS = fields.Arguments(fields.SENSOR_FIELDS)


class PokeReturnValue:
    """A result of `poke`: whether the wait is over, and the value to push as an XCom."""

    def __init__(self, is_done: bool, xcom_value: Any = None) -> None:
        self.is_done = is_done
        self.xcom_value = xcom_value

    def __bool__(self) -> bool:
        return self.is_done


class BaseSensorOperator(BaseOperator):
    """A sensor. A subclass defines `poke(context)`. `sdk.arguments.fields.SENSOR_FIELDS` describes the further arguments.

    Raises TypeError or ValueError, with the sensor and its line, for an argument that is not valid.
    """

    ui_color = "#e6f1f2"
    valid_modes: ClassVar[tuple[str, ...]] = MODES

    def __init__(
        self,
        *,
        poke_interval: dt.timedelta | float = 60,
        timeout: dt.timedelta | float | ArgNotSet | None = NOTSET,
        soft_fail: bool = False,
        mode: str = "poke",
        exponential_backoff: bool = False,
        max_wait: dt.timedelta | float | None = None,
        silent_fail: bool = False,
        never_fail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        where = f"Sensor {self.task_id!r}{format_location(self._location)}"
        checked = _ARGUMENTS.kept
        try:
            self.poke_interval: float = checked("poke_interval", poke_interval).total_seconds()
            self.timeout: float = checked("timeout", NOTSET if timeout is None else timeout).total_seconds()
            self.soft_fail: bool = checked("soft_fail", soft_fail)
            self.mode: str = checked("mode", mode)
            self.exponential_backoff: bool = checked("exponential_backoff", exponential_backoff)
            self.max_wait: dt.timedelta | None = checked("max_wait", max_wait)
            self.silent_fail: bool = checked("silent_fail", silent_fail)
            self.never_fail: bool = checked("never_fail", never_fail)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{where}: {error}.") from None
        self._check_arguments(where)

    def _check_arguments(self, where: str) -> None:
        if self.poke_interval < 0 or self.timeout < 0:
            raise ValueError(f"{where}: poke_interval and timeout must be 0 or more.")
        if self.mode not in self.valid_modes:
            raise ValueError(f"{where}: mode must be one of {', '.join(self.valid_modes)}, not {self.mode!r}.")
        if self.max_wait is not None and self.max_wait < dt.timedelta(0):
            raise ValueError(f"{where}: max_wait must be 0 or more.")
        if self.soft_fail and self.never_fail:
            raise ValueError(f"{where}: soft_fail and never_fail exclude each other; give one of them.")

    def poke(self, context: Any) -> bool | PokeReturnValue:
        """Return whether the condition is true. Subclasses override it."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no poke().")

    @property
    def reschedule(self) -> bool:
        """Whether the sensor gives its slot back between two pokes."""
        return self.mode == "reschedule"

    def execute(self, context: Any) -> Any:
        """Poke until the condition is true.

        Raises AirflowSensorTimeout after `timeout` seconds, and AirflowRescheduleException between pokes in reschedule mode.
        """
        clock = SystemClock()
        begun = self._find_wait_start(context, clock)
        started_at = to_datetime(int(begun)) if self.reschedule else begun

        def waited() -> float:
            return (clock.now() - begun) / 1e6 if self.reschedule else clock.monotonic() - begun

        poke_number = 1
        while True:
            result = self._poke_once(context)
            if result:
                return result.xcom_value if isinstance(result, PokeReturnValue) else None
            if waited() > self.timeout:
                self._raise_timeout(waited())
            pause = self._get_next_poke_interval(started_at, waited, poke_number)
            if self.reschedule:
                moment = to_datetime(add_seconds(clock.now(), pause))
                raise AirflowRescheduleException(moment)
            if not skip_time(pause):
                time.sleep(min(pause, SLEEP_MAX_S))
            poke_number += 1

    def _find_wait_start(self, context: Any, clock: SystemClock) -> float:
        """Return the start of the wait. In reschedule mode it is the first poke of the first try, in microseconds UTC."""
        if not self.reschedule:
            return clock.monotonic()
        ti = context["ti"]
        find_first_date = getattr(ti, "get_first_reschedule_date", None)
        first = find_first_date(context) if find_first_date is not None else None
        return to_instant(first) if first is not None else clock.now()

    def _poke_once(self, context: Any) -> bool | PokeReturnValue:
        """Call `poke` once; an error fails or skips the task as soft_fail, silent_fail and never_fail say."""
        try:
            return self.poke(context)
        except (AirflowSensorTimeout, AirflowTaskTimeout, AirflowFailException) as error:
            if self.soft_fail:
                raise AirflowSkipException(f"Skipped because soft_fail is set: {error}") from error
            if self.never_fail:
                raise AirflowSkipException(f"Skipped because never_fail is set: {error}") from error
            raise
        except AirflowSkipException:
            raise
        except Exception as error:
            if self.silent_fail:
                self.log.exception("The poke failed; the sensor continues because silent_fail is set")
                return False
            if self.never_fail:
                raise AirflowSkipException(f"Skipped because never_fail is set: {error}") from error
            raise

    def _raise_timeout(self, waited_s: float) -> None:
        message = f"Sensor {self.task_id!r} waited {waited_s:.0f} s, longer than its timeout of {self.timeout:g} s."
        if self.soft_fail or self.never_fail:
            flag = "soft_fail" if self.soft_fail else "never_fail"
            raise AirflowSkipException(f"{message} Skipped because {flag} is set.")
        raise AirflowSensorTimeout(message)

    def _get_next_poke_interval(
        self, started_at: dt.datetime | float, run_duration: Callable[[], float], poke_count: int
    ) -> float:
        """Return the seconds until the next poke: constant, or doubling with a jitter. Authors override it, with Airflow's signature.

        `started_at`: the start of the wait; the jitter follows from it. `run_duration()`: seconds since then. `poke_count`: pokes so far.
        """
        if not self.exponential_backoff:
            return self.poke_interval
        if self.reschedule:
            poke_count = self._count_pokes(run_duration())
        import hashlib  # only sensors with a backoff need it

        low = max(int(self.poke_interval * 2 ** (min(poke_count, 40) - 2)), 1)
        key = f"{self.dag_id if self.has_dag() else f'adhoc_{self.owner}'}#{self.task_id}#{started_at}#{poke_count}"
        jitter = int.from_bytes(hashlib.sha1(key.encode(), usedforsecurity=False).digest(), "big")
        pause = float(min(low + jitter % low, 86_400 * 7))
        if self.max_wait is not None:
            pause = min(pause, self.max_wait.total_seconds())
        return min(max(self.timeout - int(run_duration()), 0.0), pause) if self.timeout else pause

    def _count_pokes(self, waited_s: float) -> int:
        """Return how many doubling pauses fit into the time waited. No count is stored between two reschedules."""
        if self.poke_interval <= 0:
            return 1
        count, total, cap = 1, 0.0, self.max_wait.total_seconds() if self.max_wait else float("inf")
        while count < 40:
            total += min(max(self.poke_interval * 2 ** (count - 2), 1.0), cap)
            if total > waited_s:
                break
            count += 1
        return count

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Continue after a deferral; an error fails or skips the task as soft_fail and never_fail say."""
        try:
            return super().resume_execution(next_method, next_kwargs, context)
        except (TaskDeferralError, AirflowException) as error:
            if (self.soft_fail or self.never_fail) and not isinstance(error, AirflowSkipException):
                raise AirflowSkipException(error_text(error)) from error
            if isinstance(error, TaskDeferralTimeout):
                raise AirflowSensorTimeout(error_text(error)) from error
            raise


def poke_mode_only(cls: Any) -> Any:
    """Class decorator for sensors that work in poke mode only: another mode raises ValueError, whenever it is set.

    Raises ValueError for a class that is not a sensor.
    """
    if not isinstance(cls, type) or not issubclass(cls, BaseSensorOperator):
        raise ValueError(f"poke_mode_only decorates sensor classes, not {cls!r}.")

    def set_mode(_: Any, mode: str) -> None:
        if mode != "poke":
            raise ValueError(
                f"Cannot set mode to {mode!r}. Only 'poke' is acceptable: {cls.__name__}{format_location(find_author_location())} works in mode "
                "'poke' alone. Leave mode= out."
            )

    cls.mode = property(lambda _: "poke", set_mode)  # type: ignore[assignment]
    return cls


class SensorDecoratedOperator(DecoratedOperator, BaseSensorOperator):
    """`@task.sensor`: the function is called until it returns a true value."""

    class_name_in_airflow = "DecoratedSensorOperator"
    custom_operator_name = "@task.sensor"

    def poke(self, context: Any) -> bool | PokeReturnValue:
        result = call_with_context(self.python_callable, self.op_args, self.op_kwargs, context)
        if isinstance(result, PokeReturnValue):
            return result
        return bool(result)
