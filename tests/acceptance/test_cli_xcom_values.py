"""Values beyond JSON through every door of a run: returned, pushed, pulled, mapped, rendered, deferred and sent by a trigger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE_S

CLASSES = """
import dataclasses
import datetime as dt

import pydantic


@dataclasses.dataclass
class Order:
    number: int
    at: dt.datetime


class Offer(pydantic.BaseModel):
    number: int
"""
TRIGGERS = """
import numpy as np
from airflow.triggers.base import BaseTrigger, TriggerEvent


class Counts(BaseTrigger):
    def __init__(self, order, counts):
        super().__init__()
        self.order, self.counts = order, counts

    def serialize(self):
        return "count_triggers.Counts", {"order": self.order, "counts": self.counts}

    async def run(self):
        yield TriggerEvent({"order": self.order, "total": self.counts.sum()})
"""
FLOW = """
import datetime as dt

import numpy as np
import polars as pl
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, BaseOperator, get_current_context, task
from count_triggers import Counts
from sale_classes import Offer, Order


class DeferOperator(BaseOperator):
    def execute(self, context):
        order = Order(3, dt.datetime(2024, 1, 1))
        self.defer(trigger=Counts(order, np.array([1, 2, 3])), method_name="done", kwargs={"kept": [order]})

    def done(self, context, event, kept):
        print("deferred", event["order"] == kept[0], type(event["total"]).__name__, event["total"])
        return kept[0]


with DAG("values", schedule=None):

    @task
    def numbers():
        return {"n": np.int64(5), "f": np.float32(1.5), "b": np.bool_(True), "d": np.float64(2.5), "a": np.arange(3)}

    @task
    def read(v):
        print("numbers", *(type(v[key]).__name__ for key in "nfbda"), v["n"] + v["a"].sum())

    @task
    def order():
        get_current_context()["ti"].xcom_push("offer", Offer(number=2))
        return Order(1, dt.datetime(2024, 1, 1))

    @task
    def pull(first):
        offer = get_current_context()["ti"].xcom_pull(task_ids="order", key="offer")
        print("pulled", first == Order(1, dt.datetime(2024, 1, 1)), offer == Offer(number=2))

    @task
    def frames():
        return [pl.DataFrame({"a": [n, n]}) for n in range(3)]

    @task(multiple_outputs=True)
    def add(frame):
        return {"total": frame["a"].sum(), "frame": frame}

    @task
    def join(parts):
        print("joined", pl.concat(parts)["a"].to_list())

    ordered = order()
    read(numbers())
    pull(ordered)
    join(add.expand(frame=frames())["frame"])
    BashOperator(task_id="render", bash_command="echo 'rendered {{ ti.xcom_pull(task_ids=\\"order\\").number }}'") << ordered
    DeferOperator(task_id="defer")
"""
MAPS_ARRAY = """
import numpy as np
from airflow.sdk import DAG, task

with DAG("array", schedule=None):

    @task
    def make():
        return np.arange(3)

    @task
    def each(x):
        pass

    each.expand(x=make())
"""


def try_dag(folder: Path, text: str, allowed: str) -> subprocess.CompletedProcess[str]:
    plugins = folder / "home" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "sale_classes.py").write_text(CLASSES)
    (plugins / "count_triggers.py").write_text(TRIGGERS)
    (folder / "flow.py").write_text(text)
    environ = {
        **os.environ,
        "GNOMON_HOME": str(folder / "home"),
        "AIRFLOW__CORE__ALLOWED_DESERIALIZATION_CLASSES": allowed,
        "COLUMNS": "2000",
    }
    return subprocess.run(
        [sys.executable, "-m", "gnomon", "dags", "test", str(folder / "flow.py")],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_values_pass_every_door_of_a_run(tmp_path: Path) -> None:
    ended = try_dag(tmp_path, FLOW, "airflow.* sale_classes.*")
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    for line in (
        "numbers int64 float32 bool float64 ndarray 8",
        "pulled True True",
        "joined [0, 0, 1, 1, 2, 2]",
        "rendered 1",
        "deferred True int64 6",
    ):
        assert line in said, line


def test_a_class_that_is_not_allowed_fails_the_task_that_reads_it_with_the_remedy(tmp_path: Path) -> None:
    ended = try_dag(tmp_path, FLOW, "airflow.*")
    said = ended.stdout + ended.stderr
    assert ended.returncode != 0
    refusal = (
        "The stored value is an object of class sale_classes.{}, which [core] allowed_deserialization_classes ('airflow.*') does not allow. Add it to the "
        "option where the task runs, for example"
    )
    assert f"pull failed: ClassNotAllowed: XCom 'return_value' of task 'order': {refusal.format('Order')}" in said
    assert f"render failed: ClassNotAllowed: XCom 'return_value' of task 'order': {refusal.format('Order')}" in said
    assert refusal.format("Order") in next(line for line in said.splitlines() if line.startswith("defer failed: "))
    assert "order success" in said and "joined [0, 0, 1, 1, 2, 2]" in said


def test_a_task_mapped_over_an_array_says_how_to_make_a_list_of_it(tmp_path: Path) -> None:
    ended = try_dag(tmp_path, MAPS_ARRAY, "airflow.*")
    assert ended.returncode != 0
    assert "and it returned a ndarray; return a list or a dict, here value.tolist()" in ended.stdout + ended.stderr
