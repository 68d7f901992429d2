"""The files that `bench.defer_rate` puts into a home: DAGs of 100 tasks that wait, and a trigger as an author writes it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

TASKS = 100
"""Of one run."""

PLUGIN = '''
import asyncio
import time

from airflow.triggers.base import BaseTrigger, TaskSuccessEvent


class Until(BaseTrigger):
    """Sleeps until a moment, given in seconds since 1970; ends its task."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def serialize(self):
        return "bench_triggers.Until", {"at": self.at}

    async def run(self):
        await asyncio.sleep(self.at - time.time())
        yield TaskSuccessEvent()
'''

WAITING = """
import datetime as dt

from airflow.sdk import DAG, BaseOperator
from airflow.triggers.base import StartTriggerArgs


class Waits(BaseOperator):
    start_from_trigger = True

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args = StartTriggerArgs(
            trigger_cls={trigger!r}, trigger_kwargs={kwargs}, next_method=None, next_kwargs=None, timeout=None,
        )


with DAG({dag_id!r}, {when}):
    for i in range({tasks}):
        Waits(task_id=f"t{{i:03d}}")
"""

RESUMING = f'''
import datetime as dt

from airflow.providers.standard.triggers.temporal import DateTimeTrigger
from airflow.sdk import DAG, BaseOperator


class Plain(BaseOperator):
    def execute(self, context):
        return None


class Defers(BaseOperator):
    """Waits for the moment that its run is told."""

    def execute(self, context):
        due = dt.datetime.fromtimestamp(context["dag_run"].conf["due"], dt.UTC)
        self.defer(trigger=DateTimeTrigger(moment=due), method_name="go_on")

    def go_on(self, context, event):
        return None


for dag_id, operator in (("plain", Plain), ("defers", Defers)):
    with DAG(dag_id, schedule=None):
        for i in range({TASKS}):
            operator(task_id=f"t{{i:03d}}", do_xcom_push=False)
'''

TIME = "airflow.providers.standard.triggers.temporal.DateTimeTrigger"
AUTHOR = "bench_triggers.Until"


def waiting(kind: str, due: float, dag_id: str = "waits", runs: int | None = None) -> str:
    """The file of a DAG whose tasks all wait until `due` without a worker before or after; `runs`: its schedule has so many."""
    when = "schedule=None" if runs is None else f"schedule='* * * * *', catchup=True, {_minutes(runs)}"
    if kind == "author":
        return WAITING.format(trigger=AUTHOR, kwargs=f"{{'at': {due!r}}}", dag_id=dag_id, tasks=TASKS, when=when)
    kwargs = f"{{'moment': {_code(dt.datetime.fromtimestamp(due, dt.UTC))}, 'end_from_trigger': True}}"
    return WAITING.format(trigger=TIME, kwargs=kwargs, dag_id=dag_id, tasks=TASKS, when=when)


def _minutes(runs: int) -> str:
    first = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return f"start_date={_code(first)}, end_date={_code(first + dt.timedelta(minutes=runs - 1))}"


def _code(moment: dt.datetime) -> str:
    return repr(moment).replace("datetime.", "dt.")


def write(home: Path, name: str, text: str) -> None:
    """The file is in the DAGs folder, whole from the first moment on."""
    half = home / f"{name}.half"
    half.write_text(text)
    half.rename(home / "dags" / name)
