"""The DAG files of the tests of runs, tasks and logs."""

FILES = {
    "talkative.py": """
import logging
from pathlib import Path

from airflow.sdk import DAG, task

GATE = Path(__file__).with_name("talkative.gate")

with DAG("talkative", schedule=None):

    @task
    def talk():
        print("\\033[32mgreen\\033[0m and plain, <b>no markup</b>")
        logging.warning("a warning that is seen")
        logging.error("an error of\\nseveral lines")
        print("::group::Install packages")
        for number in range(30):
            print("installed package", number)
        print("::endgroup::")
        print("x" * 10_000)
        for number in range(3_000):
            print("row", number)
        print("needle at the end")

    @task
    def follow():
        import time

        print("waits for its gate")
        number = 0
        while not GATE.exists():
            time.sleep(0.05)
            number += 1
            print("beat", number, flush=True)
        print("the gate is open", flush=True)

    talk()
    follow()
""",
    "grouped.py": """
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, TaskGroup, task

with DAG("grouped", schedule=None):
    with TaskGroup("load"):

        @task
        def give():
            return {"rows": [{"id": n, "name": "<b>name</b> " + str(n)} for n in range(300)], "text": "long " * 2000, "none": None}

        @task(retries=1, retry_delay=timedelta(seconds=0))
        def fail_once():
            mark = Path(__file__).with_name("grouped.mark")
            print("tries")
            if not mark.exists():
                mark.write_text("x")
                raise RuntimeError("the first try fails")

        give() >> fail_once()

    @task
    def each(number):
        if number == 7:
            raise RuntimeError("seven")

    each.expand(number=list(range(60)))
""",
    "starved.py": """
from airflow.sdk import DAG, task

with DAG("starved", schedule=None):

    @task(pool="starved_pool")
    def eat():
        print("ate")

    @task
    def after():
        print("after")

    eat() >> after()
""",
    "rendered.py": """
from airflow.sdk import DAG, task
from airflow.providers.standard.operators.bash import BashOperator

with DAG("rendered", schedule=None):
    BashOperator(task_id="say", bash_command="echo '<b>{{ ds }}</b>' && exit 1 # " + "x" * 400, env={"PASSWORD": "a value that stays here"})

    @task
    def each(name):
        pass

    each.expand(name=["one", "two of {{ ds }}"])
""",
    "deploys.py": """
from airflow.sdk import DAG, Param
from airflow.providers.standard.operators.hitl import HITLOperator

with DAG("deploys", schedule=None):
    HITLOperator(task_id="ask", subject="Deploy on Friday?", body="The tests pass.", options=["yes", "no"], params={"hosts": Param(2, type="integer")})
""",
}
"""By name: their texts."""
