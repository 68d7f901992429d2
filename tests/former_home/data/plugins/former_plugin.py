"""An author's timetable, sensor and trigger."""

import asyncio
import os
from datetime import timedelta

from airflow.plugins_manager import AirflowPlugin
from airflow.sdk import BaseSensorOperator
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from airflow.triggers.base import BaseTrigger, TriggerEvent


class EveryHours(Timetable):
    def __init__(self, hours):
        self.hours = hours

    def serialize(self):
        return {"hours": self.hours}

    @classmethod
    def deserialize(cls, data):
        return cls(data["hours"])

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        start = restriction.earliest if last_automated_data_interval is None else last_automated_data_interval.end
        end = start + timedelta(hours=self.hours)
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start=start, end=end)


class FlagTrigger(BaseTrigger):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def serialize(self):
        return "former_plugin.FlagTrigger", {"name": self.name}

    async def run(self):
        while not os.path.exists(os.path.join(os.environ["GNOMON_HOME"], self.name)):  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(0.1)
        yield TriggerEvent(self.name)


class FlagSensor(BaseSensorOperator):
    def __init__(self, name, **kwargs):
        super().__init__(**kwargs)
        self.name = name

    def execute(self, context):
        self.defer(trigger=FlagTrigger(self.name), method_name="resume")

    def resume(self, context, event=None):
        return event


class FormerPlugin(AirflowPlugin):
    name = "former"
    timetables = [EveryHours]
