"""Tasks that ask a person, as a user sees them: listed, explained, answered on the command line, also after a restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.acceptance.product import product
from tests.patience import PATIENCE_S

FILE = """
import sys
from datetime import datetime, timedelta

from airflow.providers.standard.operators.hitl import ApprovalOperator, HITLOperator
from airflow.providers.standard.triggers.hitl import HITLTrigger
from airflow.sdk import DAG, BaseOperator, Param, task


class Older(BaseOperator):
    def execute(self, context):
        trigger = HITLTrigger(ti_id=context["ti"].id, options=["a", "b"], params={}, timeout_datetime=None)
        self.defer(trigger=trigger, method_name="woke")

    def woke(self, context, event):
        return event["chosen_options"]


with DAG("asks", schedule=None, start_date=datetime(2024, 1, 1), is_paused_upon_creation=False):
    choose = HITLOperator(
        task_id="choose", subject="Which of {{ run_id }}?", options=["x", "y"], multiple=True, params={"n": Param(type="integer")}
    )
    approve = ApprovalOperator(task_id="approve", subject="Go?", assigned_users=[{"id": "1", "name": "ann"}])
    quick = HITLOperator(task_id="quick", subject="Now?", options=["yes"], defaults=["yes"], response_timeout=timedelta(milliseconds=1))
    Older(task_id="older")

    @task.external_python(python=sys.executable)
    def shown(answer):
        return answer["chosen_options"], answer["params_input"]

    shown(choose.output)
    @task
    def after():
        pass

    approve >> after()
"""


def test_questions_are_answered_on_the_command_line_and_survive_a_restart() -> None:
    with product({"asks.py": FILE}) as running:
        running.has_dag("asks")
        running.do("dags", "trigger", "asks", "--run-id", "r")

        def open_questions() -> dict[str, str]:
            return {row["task_id"]: row["subject"] for row in running.rows("tasks", "waiting", "asks")}

        wanted = {"choose": "Which of r?", "approve": "Go?", "older": "Task older asks"}
        running.until(lambda: open_questions() == wanted, "three tasks wait for a person")
        settled = {**dict.fromkeys(wanted, "awaiting_input"), "quick": "success"}
        running.until(  # the restart gives no grace: a task that still runs would be lost
            lambda: (
                {task_id: row["state"] for task_id, row in running.tasks("asks", "r").items() if task_id in settled}
                == settled
            ),
            "only questions are open",
        )
        running.restart()
        assert "only ann may answer" in running.do("explain", "asks", "r", "approve")
        refused = running.cli("tasks", "answer", "asks", "r", "approve", "--option", "Approve", "--user", "ben")
        assert refused.code != 0 and "assigned to ann" in refused.err
        running.do("tasks", "answer", "asks", "r", "choose", "--option", "x", "--option", "y", "--params", '{"n": 7}')
        running.do("tasks", "answer", "asks", "r", "older", "--option", "b")
        running.do("tasks", "answer", "asks", "r", "approve", "--option", "Reject", "--user", "ann")
        assert running.ended("asks", "r")["state"] == "success"
        states = {task_id: row["state"] for task_id, row in running.tasks("asks", "r").items()}
        assert states == {
            "choose": "success",
            "approve": "success",
            "quick": "success",
            "older": "success",
            "shown": "success",
            "after": "skipped",
        }
        assert "(['x', 'y'], {'n': 7})" in running.task_log("asks", "r", "shown")
        assert running.do("tasks", "waiting") == "no task waits for an answer\n"


def test_a_test_of_a_dag_takes_the_answers_with_the_command(tmp_path: Path) -> None:
    file = tmp_path / "asks.py"
    file.write_text("""
from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import DAG

with DAG("asks", schedule=None):
    HITLOperator(task_id="ask", subject="Go on?", options=["yes", "no"])
""")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON_", "AIRFLOW_"))}

    def dags_test(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gnomon", "dags", "test", str(file), "-o", "json", *words]
        environ = {**inherited, "GNOMON_HOME": str(tmp_path / "home")}
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    stuck = dags_test()
    assert stuck.returncode != 0 and "--answer 'ask=yes'" in stuck.stderr
    assert json.loads(dags_test("--answer", "ask=no").stdout)["state"] == "success"
