"""Triggers and operators as authors write them after the public deferral guide, with short times."""

PLUGIN = '''
import asyncio
from airflow.triggers.base import BaseTrigger, TaskFailedEvent, TaskSkippedEvent, TaskSuccessEvent, TriggerEvent


class Nap(BaseTrigger):
    """Sleeps, and hands on what it was given."""

    def __init__(self, seconds=0.2, payload=None, notes=None):
        super().__init__()
        self.seconds, self.payload, self.notes = seconds, payload, notes

    def serialize(self):
        return f"naps.{type(self).__name__}", {"seconds": self.seconds, "payload": self.payload, "notes": self.notes}

    def note(self, word):
        if self.notes:
            with open(self.notes, "a") as file:
                file.write(f"{word}\\n")

    async def run(self):
        self.note("run")
        await asyncio.sleep(self.seconds)
        yield TriggerEvent(self.payload)

    async def on_kill(self):
        self.note("on_kill")

    async def cleanup(self):
        self.note("cleanup")


class Ends(Nap):
    async def run(self):
        await asyncio.sleep(self.seconds)
        yield {"success": TaskSuccessEvent, "failed": TaskFailedEvent, "skipped": TaskSkippedEvent}[self.payload](
            xcoms={"return_value": [1, (2, 3)], "other": {"of": "the trigger"}}
        )


class Raises(Nap):
    async def run(self):
        await asyncio.sleep(self.seconds)
        raise ConnectionError("the far end hung up")
        yield


class Silent(Nap):
    async def run(self):
        await asyncio.sleep(self.seconds)
        return
        yield


class Wrong(Nap):
    async def run(self):
        yield {"not": "an event"}
'''

HEAD = """
from __future__ import annotations
import datetime as dt
from datetime import timedelta
from airflow.exceptions import AirflowSensorTimeout, TaskDeferralTimeout
from airflow.models.baseoperator import BaseOperator
from airflow.providers.standard.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger
from airflow.sdk import DAG, task
from airflow.sensors.base import BaseSensorOperator
from airflow.triggers.base import StartTriggerArgs
from naps import Ends, Nap, Raises, Silent, Wrong

TEMPORAL = "airflow.providers.standard.triggers.temporal."
OPEN = {"schedule": None, "is_paused_upon_creation": False}
"""

GUIDE = (
    HEAD
    + '''
import time
from airflow.configuration import conf


class WaitOneHourSensor(BaseSensorOperator):
    """A sensor that defers from execute."""

    def execute(self, context):
        self.defer(trigger=TimeDeltaTrigger(timedelta(seconds=0.5)), method_name="execute_complete")

    def execute_complete(self, context, event=None):
        return "waited"


class WaitOneHourEitherWay(BaseSensorOperator):
    """Two modes, by the argument that sensors of providers have too."""

    def __init__(self, *, deferrable=conf.getboolean("operators", "default_deferrable", fallback=False), **kwargs):
        super().__init__(**kwargs)
        self.deferrable = deferrable

    def execute(self, context):
        if self.deferrable:
            self.defer(trigger=TimeDeltaTrigger(timedelta(seconds=0.5)), method_name="execute_complete")
        time.sleep(0.5)
        return "slept"

    def execute_complete(self, context, event=None):
        return "waited"


class WaitHourAtStart(BaseSensorOperator):
    start_trigger_args = StartTriggerArgs(
        trigger_cls=TEMPORAL + "TimeDeltaTrigger", trigger_kwargs={"moment": timedelta(seconds=0.5)},
        next_method="execute_complete", next_kwargs=None, timeout=None,
    )
    start_from_trigger = True

    def execute_complete(self, context, event=None):
        return "waited"


class WaitHoursSensor(BaseSensorOperator):
    start_trigger_args = StartTriggerArgs(
        trigger_cls=TEMPORAL + "TimeDeltaTrigger", trigger_kwargs={}, next_method="execute_complete", next_kwargs=None, timeout=None,
    )
    start_from_trigger = True

    def __init__(self, *args, trigger_kwargs, start_from_trigger=True, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_trigger_args.trigger_kwargs = trigger_kwargs
        self.start_from_trigger = start_from_trigger

    def execute_complete(self, context, event=None):
        return event.isoformat()


class NapFirst(BaseOperator):
    start_trigger_args = StartTriggerArgs(trigger_cls="naps.Nap", trigger_kwargs={}, next_method="woke")
    start_from_trigger = True

    def __init__(self, *, payload, **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args.trigger_kwargs = {"payload": payload, "seconds": 0.1}

    def woke(self, context, event=None):
        return event


class WaitForItems(BaseOperator):
    """Several deferrals; what is known so far goes along in kwargs."""

    def __init__(self, *, items, **kwargs):
        super().__init__(**kwargs)
        self.items = items

    def execute(self, context):
        self.wait(list(self.items), [])

    def wait(self, left, done):
        self.defer(trigger=Nap(seconds=0.05, payload=left[0]), method_name="came", kwargs={"left": left[1:], "done": done})

    def came(self, context, left, done, event=None):
        done = [*done, event]
        if left:
            self.wait(left, done)
        return done


class EndsFromTrigger(BaseOperator):
    start_trigger_args = StartTriggerArgs(trigger_cls="naps.Ends", next_method=None, trigger_kwargs={})
    start_from_trigger = True

    def __init__(self, *, how, **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args.trigger_kwargs = {"payload": how}


class EndsAfterExecute(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Ends(payload="success"), method_name=None)


class TimerEnds(BaseOperator):
    def execute(self, context):
        self.defer(trigger=TimeDeltaTrigger(timedelta(seconds=0.2), end_from_trigger=True), method_name=None)


with DAG("guide", **OPEN):
    @task
    def judge(ti=None):
        got = {name: ti.xcom_pull(task_ids=name) for name in (
            "hour", "at_start", "deferring", "sleeping", "by_default", "items", "one", "other", "plugin", "ended",
        )}
        assert got["hour"] == got["at_start"] == got["deferring"] == "waited", got
        assert got["sleeping"] == got["by_default"] == "slept", got
        assert got["items"] == ["a", "b", "c"], got
        assert (got["one"], got["other"], got["plugin"]) == (1, "two", {"rows": 3}), got
        assert got["ended"] == [1, (2, 3)], got
        assert ti.xcom_pull(task_ids="ended", key="other") == {"of": "the trigger"}
        soon, later = (dt.datetime.fromisoformat(ti.xcom_pull(task_ids=name)) for name in ("soon", "later"))
        assert soon < later, (soon, later)

    class NapInExecute(BaseOperator):
        def execute(self, context):
            self.defer(trigger=Nap(payload={"rows": 3}), method_name="woke")

        def woke(self, context, event=None):
            return event

    [
        WaitOneHourEitherWay(task_id="deferring", deferrable=True), WaitOneHourEitherWay(task_id="sleeping", deferrable=False),
        WaitOneHourEitherWay(task_id="by_default"), WaitOneHourSensor(task_id="hour"), WaitHourAtStart(task_id="at_start"), WaitForItems(task_id="items", items="abc"),
        NapFirst(task_id="one", payload=1), NapFirst(task_id="other", payload="two"), NapInExecute(task_id="plugin"),
        WaitHoursSensor(task_id="soon", trigger_kwargs={"seconds": 0.1}),
        WaitHoursSensor(task_id="later", trigger_kwargs={"seconds": 0.9}),
        EndsFromTrigger(task_id="ended", how="success"), EndsAfterExecute(task_id="ended_after"), TimerEnds(task_id="timer_ended"),
    ] >> judge()

with DAG("ends", **OPEN):
    EndsFromTrigger(task_id="failed", how="failed")
    EndsFromTrigger(task_id="skipped", how="skipped")
    EndsFromTrigger(task_id="tried_twice", how="failed", retries=1, retry_delay=timedelta(seconds=0.1))
'''
)

TYPES = (
    HEAD
    + """
import uuid

VALUES = {
    "set": {1, 2}, "tuple": (1, ("two", 3.5)), "bytes": b"\\x00\\xff", "uuid": uuid.UUID(int=7), "span": timedelta(days=1, seconds=2.5),
    "instant": dt.datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc), "nested": [{"a": (1,)}, None, True], "text": "ü\\n\\u0000",
}

class KeepsTypes(BaseOperator):
    def execute(self, context):
        self.defer(trigger=Nap(seconds=0, payload=VALUES), method_name="woke", kwargs={"state": VALUES})

    def woke(self, context, state, event=None):
        for name, value in VALUES.items():
            assert (type(event[name]), event[name]) == (type(value), value), name
            assert (type(state[name]), state[name]) == (type(value), value), name
        assert type(event["tuple"][1]) is tuple

with DAG("types", **OPEN):
    KeepsTypes(task_id="all")
"""
)

FAILING = (
    HEAD
    + '''
class Defers(BaseOperator):
    def __init__(self, *, trigger, method="woke", timeout=None, more=None, **kwargs):
        super().__init__(**kwargs)
        self.trigger, self.method, self.timeout, self.more = trigger, method, timeout, more

    def execute(self, context):
        self.defer(trigger=self.trigger, method_name=self.method, timeout=self.timeout, kwargs=self.more)

    def woke(self, context, event=None):
        print("WOKE")

    def twice(self, context, event=None):
        self.defer(trigger=Nap(seconds=600), method_name="woke")

    def with_lock(self, context, lock, event=None):
        print("WOKE")

    def deaf(self, context):
        print("takes no event")


class SensorDefers(BaseSensorOperator):
    def execute(self, context):
        self.defer(trigger=Nap(seconds=600), method_name="woke", timeout=timedelta(seconds=0.3))

    def woke(self, context, event=None):
        print("WOKE")


class Local(Nap):
    """Defined in a DAG file, where no triggerer finds it."""


with DAG("failing", **OPEN):
    Defers(task_id="timeout", trigger=Nap(seconds=600), timeout=timedelta(seconds=0.3))
    Defers(task_id="timer_timeout", trigger=TimeDeltaTrigger(timedelta(hours=1)), timeout=timedelta(seconds=0.3))
    SensorDefers(task_id="sensor_timeout")
    SensorDefers(task_id="soft", soft_fail=True)
    Defers(task_id="deadline", trigger=Nap(seconds=0.4), method="twice", execution_timeout=timedelta(seconds=1.5))
    Defers(task_id="raises", trigger=Raises())
    Defers(task_id="silent", trigger=Silent())
    Defers(task_id="wrong", trigger=Wrong())
    Defers(task_id="plain_event", trigger=Nap(), method=None)
    Defers(task_id="retried", trigger=Raises(), retries=1, retry_delay=timedelta(seconds=0.1))
    Defers(task_id="no_method", trigger=Nap(), method="nowhere")
    Defers(task_id="deaf", trigger=Nap(), method="deaf")
    Defers(task_id="local", trigger=Local())
    Defers(task_id="unstorable", trigger=Nap(), method="with_lock", more={"lock": object()})
    Defers(task_id="unknown_argument", trigger=Nap(), more={"more": 1})
    Defers(task_id="unstorable_argument", trigger=Nap(payload=object()))

    @task
    def function(ti=None):
        from airflow.exceptions import TaskDeferred
        raise TaskDeferred(trigger=Nap(), method_name="woke")

    function()
'''
)

BAD_START = (
    HEAD
    + """
class Starts(BaseOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(trigger_cls="naps.Nap", next_method="woke", trigger_kwargs={"minutes": 3})

    def woke(self, context, event=None):
        pass

with DAG("bad_start", **OPEN):
    Starts(task_id="starts")
"""
)
