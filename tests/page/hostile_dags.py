"""A DAG file, a run and records whose every text is hostile: markup, scripts, marks of direction, and long texts without a space."""

from __future__ import annotations

import json

from tests.acceptance.product import Product

MARKUP = "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\"><b>bold</b>"
TURNED = "\u202eturned\u202e"
"""U+202E turns what follows it, unless the place of the text ends what it did."""
LONG = "x" * 10_000
VERY_LONG = "y" * 1_000_000
TEXT = MARKUP + TURNED + LONG
DAG_ID = "hostile_" + "d" * 230
TASK_ID = "say_" + "t" * 230
LISTENER_ID = "listens_" + "l" * 200
QUESTION_ID = "asks"
GROUP_ID = "group_" + "p" * 190
RUN_ID = "run_" + "r" * 240
NAME = MARKUP + TURNED + "n" * 60
"""For fields of few characters."""
KEY = "key_" + "k" * 190
"""For names that must be in an address."""
ACCOUNT = "account_" + "a" * 90
FILE = f"""
import pendulum

from airflow.sdk import DAG, Asset, Param, TaskGroup, task, Label
from airflow.timetables.trigger import MultipleCronTriggerTimetable
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.hitl import HITLOperator

TEXT = {TEXT!r}
LONG = {LONG!r}
VERY_LONG = "y" * 1_000_000
NAME = {NAME!r}
asset = Asset(name={NAME!r} + "a" * 900, uri="https://host.example/" + "u" * 900, group="g" * 900, extra={{"note": {TEXT!r}}})

with DAG(
    {DAG_ID!r}, schedule="0 2 * * *", catchup=False, start_date=pendulum.datetime(2026, 1, 1), description=TEXT, doc_md=TEXT, dag_display_name=TEXT, tags=[NAME[:90], "g" * 90], default_args={{"owner": NAME + LONG}},
    params={{"text": Param(TEXT, type="string", title=TEXT, description=TEXT, description_md=TEXT), "choice": Param(NAME, type="string", enum=[NAME, LONG], section=NAME + LONG), "rows": [TEXT], {KEY!r}: VERY_LONG}},
):

    @task(task_display_name=TEXT, doc_md=TEXT, outlets=[asset], pool={KEY!r})
    def {TASK_ID}(params=None):
        print(TEXT)
        print(VERY_LONG)
        return {{"text": TEXT, "long": VERY_LONG[:60_000], NAME: [LONG]}}

    @task(map_index_template="{{{{ task.op_kwargs['word'] }}}}")
    def mapped(word):
        raise RuntimeError(word)

    with TaskGroup({GROUP_ID!r}, tooltip=TEXT):
        shell = BashOperator(task_id="shell", bash_command="true " + LONG, env={{"TEXT": TEXT}}, trigger_rule="all_done")
    {TASK_ID}() >> Label(NAME) >> mapped.expand(word=[TEXT, LONG]) >> shell
    HITLOperator(task_id={QUESTION_ID!r}, subject=TEXT, body=TEXT, options=[NAME[:100], "o" * 100], params={{"note": Param(TEXT, type="string", description=TEXT)}})

with DAG("many_times_" + "m" * 200, schedule=MultipleCronTriggerTimetable(*[f"{{minute}} 2 * * *" for minute in range(59)], timezone="UTC"), start_date=pendulum.datetime(2026, 1, 1), catchup=False):
    EmptyOperator(task_id="empty")

with DAG({LISTENER_ID!r}, schedule=[asset], description=TEXT):

    @task
    def hear():
        pass

    hear()
"""
BROKEN_FILE = f"raise RuntimeError({TEXT!r})\n"


def fill(product: Product) -> None:
    """Fill the installation with these texts."""
    product.do("pools", "set", KEY, "1", TEXT)
    product.do("variables", "set", KEY, VERY_LONG[:100_000], "--description", TEXT)
    product.do("variables", "set", "markup", TEXT)
    product.do(
        "connections",
        "set",
        KEY,
        "--conn-type",
        "http",
        "--conn-host",
        NAME + LONG,
        "--conn-login",
        NAME + LONG,
        "--conn-schema",
        NAME,
        "--conn-description",
        TEXT,
        "--conn-extra",
        json.dumps({NAME: TEXT}),
    )
    product.do("users", "create", ACCOUNT, "--role", "viewer", "--password", "a long password")
    product.write("hostile_everywhere.py", FILE)
    product.write("f" * 200 + ".py", BROKEN_FILE)
    product.has_dag(DAG_ID)
    product.has_dag(LISTENER_ID)
    product.do("dags", "trigger", DAG_ID, "--run-id", RUN_ID, "--conf", json.dumps({"text": TEXT}))
    product.until(
        lambda: (
            {row["state"] for row in product.rows("tasks", "states", DAG_ID, RUN_ID)}
            == {"success", "failed", "awaiting_input"}
        ),
        "all but the question has ended",
    )
