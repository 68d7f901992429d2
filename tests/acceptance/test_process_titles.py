"""What `ps` shows: each process says what it is, and of which home; none says more."""

from __future__ import annotations

import sys

import pytest
from tests.acceptance.product import Product, product
from tests.chaos.processes import of_home

from gnomon.entry.app.on_demand import TRIGGERER, OnDemandStart
from gnomon.ground.config import load_config

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="titles are read from /proc")
FLOWS = """
from airflow.providers.standard.triggers.file import FileTrigger
from airflow.sdk import DAG, BaseOperator, task
from airflow.timetables.base import DataInterval, DagRunInfo, Timetable
import datetime as dt, os, time

class Hatch(BaseOperator):
    def execute(self, context):
        self.defer(trigger=FileTrigger(filepath="/nowhere/at/all"), method_name="execute_complete")
    def execute_complete(self, context, event=None):
        return None

class Mine(Timetable):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        return DagRunInfo.exact(restriction.earliest)

def wait():
    home = os.environ["GNOMON_HOME"]
    while not os.path.exists(f"{home}/go"):
        time.sleep(0.05)

if os.path.exists(os.environ["GNOMON_HOME"] + "/slow-parse"):
    wait()

with DAG("titles", params={"password": "s3cret"}):
    task(task_id="forked")(wait)()
    Hatch(task_id="hatch")

authored = DAG("authored", schedule=Mine(), start_date=dt.datetime(2099, 1, 1, tzinfo=dt.timezone.utc))
"""
FRESH = """
from airflow.sdk import DAG, task
import os, threading, time

threading.Thread(target=time.sleep, args=(600,), daemon=True).start()  # no fork survives that

with DAG("new"):
    @task
    def interpreter():
        while not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
            time.sleep(0.05)
    interpreter()
"""
SERVICES = {
    "standalone",
    "worker",
    "dag-processor",
    "scheduler",
    "api-server",
    "triggerer",
    "monitor",
}


ALL_NEEDED = {"GNOMON__API__IDLE_TIMEOUT": "0", "GNOMON__HOUSEKEEPING__CLEAN_AT": "03:00"}
"""Options with which the api-server and the monitor have a process at once."""


def _titles(running: Product) -> set[str]:
    return {process.command for process in of_home(running.home).values()}


def test_each_process_says_its_role_its_home_and_nothing_secret() -> None:
    options = {
        **ALL_NEEDED,
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW_VAR_TOKEN": "s3cret",
        "PGPASSWORD": "s3cret",
    }
    with product({"flows.py": FLOWS, "fresh.py": FRESH}, options, address=True, interpreter=True) as running:
        running.has_dag("titles")
        running.has_dag("new")
        running.do("dags", "trigger", "titles", "--run-id", "r", "--conf", '{"password": "s3cret"}')
        running.do("dags", "trigger", "new", "--run-id", "r")
        flows = running.dags / "flows.py"
        roles = {
            *SERVICES,
            "base zygote",
            f"zygote {flows}",
            "task titles.forked",
            "task new.interpreter",
            "parse server",
            "trigger host",
            "timetable host",
        }
        wanted = {f"gnomon: {role} [{running.home}]" for role in roles}
        seen: set[str] = set()  # a host of timetables comes when one is asked, and goes

        def all_were_seen() -> bool:
            seen.update(_titles(running))
            return wanted <= seen

        running.until(all_were_seen, f"titles {sorted(wanted)}")
        (running.home / "slow-parse").touch()
        flows.write_text(FLOWS + "# changed\n")
        parse = f"gnomon: parse {flows} [{running.home}]"
        running.until(lambda: parse in _titles(running), parse)
        for process in of_home(running.home).values():
            assert process.command.startswith("gnomon: ") and process.command.endswith(f" [{running.home}]"), process
            assert "s3cret" not in process.command and "sqlite" not in process.command
            assert "s3cret" not in process.comm
        (running.home / "go").touch()


def test_the_short_names_of_services_differ_too() -> None:
    with product({}, ALL_NEEDED, interpreter=True) as running:
        OnDemandStart(load_config(running.env, running.home), TRIGGERER).notify()
        running.until(
            lambda: len(_titles(running) & {f"gnomon: {name} [{running.home}]" for name in SERVICES}) == len(SERVICES),
            "all services",
        )
        names = {process.comm for process in of_home(running.home).values() if process.command.split()[1] in SERVICES}
        assert names == {
            "gnomon-worker",
            "gnomon-dag-proc",
            "gnomon-schedule",
            "gnomon-api-serv",
            "gnomon-triggere",
            "gnomon-monitor",
            "gnomon: standal",
        }
