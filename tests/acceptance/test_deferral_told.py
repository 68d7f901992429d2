"""What a task that waits leaves behind: callbacks of one that ends by its wait, and XComs over deferrals, failures and reschedules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.acceptance.deferring import HEAD, PLUGIN
from tests.acceptance.product import Product, product

CALLBACKS = (
    HEAD
    + """
import os
from airflow.exceptions import AirflowException

def teller(word):
    def tell(context):
        ti = context["ti"]
        with open(os.path.join(os.environ["GNOMON_HOME"], f"{ti.task_id}.told"), "a") as file:
            file.write(f"{word}:{ti.try_number}:{type(context.get('exception')).__name__}\\n")
    return tell

TOLD = {f"on_{word}_callback": teller(word) for word in ("success", "failure", "retry", "skipped")}

class Waits(BaseOperator):
    def __init__(self, *, trigger, wait_at_most=None, method="woke", **kwargs):
        super().__init__(**kwargs, **TOLD)
        self.trigger, self.wait_at_most, self.method = trigger, wait_at_most, method

    def execute(self, context):
        self.defer(trigger=self.trigger, method_name=self.method, timeout=self.wait_at_most)

    def woke(self, context, event=None):
        pass

class Sensor(BaseSensorOperator):
    def execute(self, context):
        self.defer(trigger=Nap(seconds=600), method_name="woke", timeout=0.3)

    def woke(self, context, event=None):
        pass

class Starts(BaseOperator):
    start_from_trigger = True

    def __init__(self, *, how, **kwargs):
        super().__init__(**kwargs, **TOLD)
        self.start_trigger_args = StartTriggerArgs(trigger_cls="naps.Ends", next_method=None, trigger_kwargs={"payload": how})

with DAG("callbacks", **OPEN):
    Waits(task_id="came", trigger=Nap())
    Waits(task_id="timeout", trigger=Nap(seconds=600), wait_at_most=0.3)
    Waits(task_id="timeout_retried", trigger=Nap(seconds=600), wait_at_most=0.3, retries=1, retry_delay=0.1)
    Waits(task_id="timer_timeout", trigger=TimeDeltaTrigger(timedelta(hours=1)), wait_at_most=0.3)
    Waits(task_id="deadline", trigger=Nap(seconds=600), execution_timeout=timedelta(seconds=1.5))
    Waits(task_id="raised", trigger=Raises())
    Waits(task_id="timer_ended", trigger=TimeDeltaTrigger(timedelta(seconds=0.2), end_from_trigger=True), method=None)
    Sensor(task_id="sensor", **TOLD)
    Sensor(task_id="soft", soft_fail=True, **TOLD)
    for how in ("success", "failed", "skipped"):
        Starts(task_id=f"ended_{how}", how=how)
    Starts(task_id="ended_retried", how="failed", retries=1, retry_delay=0.1)
"""
)
TOLD = {
    "came": ["success:1:NoneType"],
    "timeout": ["failure:1:TaskDeferralTimeout"],
    "timeout_retried": ["retry:1:TaskDeferralTimeout", "failure:2:TaskDeferralTimeout"],
    "timer_timeout": ["failure:1:TaskDeferralTimeout"],
    "deadline": ["failure:1:AirflowTaskTimeout"],
    "raised": ["failure:1:TaskDeferralError"],
    "timer_ended": ["success:1:NoneType"],
    "sensor": ["failure:1:AirflowSensorTimeout"],
    "soft": ["skipped:1:AirflowSkipException"],
    "ended_success": ["success:1:NoneType"],
    "ended_failed": ["failure:1:AirflowException"],
    "ended_skipped": ["skipped:1:AirflowSkipException"],
    "ended_retried": ["retry:1:AirflowException", "failure:2:AirflowException"],
}
"""Task to callback, try, and the exception that the callback finds in its context."""
PUSHES = (
    HEAD
    + '''
class Defers(BaseOperator):
    """Pushes before each wait, and reads it after."""

    def execute(self, context):
        context["ti"].xcom_push("first", {"rows": 1})
        self.defer(trigger=Nap(), method_name="again")

    def again(self, context, event=None):
        assert context["ti"].xcom_pull(key="first") == {"rows": 1}
        context["ti"].xcom_push("second", (2,))
        self.defer(trigger=TimeDeltaTrigger(timedelta(seconds=0.1)), method_name="woke")

    def woke(self, context, event=None):
        ti = context["ti"]
        return [ti.xcom_pull(key="first"), ti.xcom_pull(task_ids=ti.task_id, key="second")]

class Fails(BaseOperator):
    """Each try pushes its number, and a key of its own."""

    def execute(self, context):
        ti = context["ti"]
        assert ti.xcom_pull(task_ids=ti.task_id, key="try") is None, "what the try before pushed is gone"
        ti.xcom_push("try", ti.try_number)
        ti.xcom_push(f"only_{ti.try_number}", True)
        raise ValueError("on purpose")

def hear(context):
    ti = context["ti"]
    ti.xcom_push("heard", ti.xcom_pull(key="try"))

class Pokes(BaseSensorOperator):
    def poke(self, context):
        from pathlib import Path
        ti = context["ti"]
        assert ti.xcom_pull(task_ids="pokes", key="poke") is None, "what the poke before pushed is gone"
        seen = Path(__file__).parent.parent / "poked"
        ti.xcom_push("poke", seen.exists())
        if seen.exists():
            return True
        seen.touch()

with DAG("pushes", **OPEN):
    pushed = [
        Defers(task_id="defers"), Fails(task_id="fails", retries=1, retry_delay=0.1, on_failure_callback=hear),
        Pokes(task_id="pokes", mode="reschedule", poke_interval=0.1),
    ]

    @task(trigger_rule="all_done")
    def judge(ti=None):
        def pull(task_id, key="return_value"):
            return ti.xcom_pull(task_ids=task_id, key=key)

        assert pull("defers") == [{"rows": 1}, (2,)]
        assert (pull("fails", "try"), pull("fails", "heard")) == (2, 2)
        assert (pull("fails", "only_1"), pull("fails", "only_2")) == (None, True)
        assert pull("pokes", "poke") is True

    pushed >> judge()
'''
)


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    with product({"../plugins/naps.py": PLUGIN, "callbacks.py": CALLBACKS, "pushes.py": PUSHES}) as here:
        here.has_dag("callbacks")
        here.has_dag("pushes")
        yield here


@pytest.fixture(scope="module")
def ended(running: Product) -> str:
    run_id: str = running.run("callbacks")["run_id"]
    return run_id


@pytest.mark.parametrize("task_id", TOLD)
def test_callbacks_of_a_task_that_ends_by_its_wait_run_once_a_try(running: Product, ended: str, task_id: str) -> None:
    told = running.home / f"{task_id}.told"
    found = told.read_text().split() if told.exists() else []
    assert found == TOLD[task_id], running.do("explain", "callbacks", ended, task_id)


def test_what_was_pushed_is_there_after_a_deferral_and_after_a_failure_and_gone_for_the_next_try_or_poke(
    running: Product,
) -> None:
    run_id = running.run("pushes")["run_id"]
    tasks = {name: (task["state"], task["try_number"]) for name, task in running.tasks("pushes", run_id).items()}
    logs = "\n".join(running.task_log("pushes", run_id, name) for name in tasks)
    assert tasks == {
        "defers": ("success", 1),
        "fails": ("failed", 2),
        "pokes": ("success", 1),
        "judge": ("success", 1),
    }, logs
