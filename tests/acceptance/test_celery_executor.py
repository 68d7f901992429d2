"""The CeleryExecutor as a user runs it: workers that have neither database nor key, on Redis and on RabbitMQ."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.acceptance.celery_product import CeleryProduct, celery_product, descendants
from tests.brokers import BROKERS, require_broker
from tests.patience import has_text

from gnomon.model.executors import WORKER_TTL_S
from gnomon.storage.store.coordination import leases

_WORK = """
import os
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, Variable, task, get_current_context
from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync

MARKS = Path(__file__).parent

with DAG("work", schedule=None):

    @task
    def numbers():
        return [1, 2, 3]

    @task
    def double(number):
        return number * 2

    @task(retries=1, retry_delay=timedelta(0))
    def add(found):
        context = get_current_context()
        print("the environment names no database:", "GNOMON__DATABASE__SQL_ALCHEMY_CONN" not in os.environ and not list(Path(os.environ["GNOMON_HOME"]).glob("*.db")))
        Variable.set("total", sum(found))
        if context["ti"].try_number == 1:
            raise RuntimeError("the first try fails")
        return sum(found)

    @task
    def skip():
        from airflow.sdk.exceptions import AirflowSkipException

        raise AirflowSkipException("not today")

    wait = DateTimeSensorAsync(task_id="wait", target_time="2020-01-01T00:00:00+00:00")
    add(double.expand(number=numbers())) >> [skip(), wait]

with DAG("counted", schedule=None):

    @task
    def count():
        with (MARKS / "count.txt").open("a") as file:
            file.write("x")

    count()

with DAG("hangs", schedule=None):

    @task
    def hang():
        import time

        (MARKS / "hang.began").write_text(str(os.getpid()))
        while not (MARKS / "hang.gate").exists():
            time.sleep(0.05)

    hang()

with DAG("sorted", schedule=None):

    @task(queue=os.environ.get("OTHER_QUEUE", "other"))
    def other():
        return "other"

    other()
"""


@pytest.fixture(params=BROKERS)
def deployment(request: pytest.FixtureRequest) -> Iterator[CeleryProduct]:
    with celery_product(
        require_broker(request.param), {"work.py": _WORK}, {"GNOMON__SCHEDULER__TASK_QUEUED_TIMEOUT": "2"}
    ) as running:
        running.product.has_dag("work")
        yield running


def test_mapped_tasks_retries_skips_and_deferrals_run_on_workers_without_a_database(deployment: CeleryProduct) -> None:
    deployment.start_worker()
    product = deployment.product
    assert product.run("work", "--run-id", "one")["state"] == "success"
    found = {(row["task_id"], row["map_index"]): row for row in product.rows("tasks", "states", "work", "one")}
    assert {key: row["state"] for key, row in found.items()} == {
        ("numbers", -1): "success",
        ("double", 0): "success",
        ("double", 1): "success",
        ("double", 2): "success",
        ("add", -1): "success",
        ("skip", -1): "skipped",
        ("wait", -1): "success",
    }
    assert found["add", -1]["try_number"] == 2
    assert product.do("variables", "get", "total").strip() == "12"
    assert "the environment names no database: True" in product.task_log("work", "one", "add")


def test_a_message_that_comes_twice_and_one_that_comes_late_run_nothing(deployment: CeleryProduct) -> None:
    product = deployment.product
    # Without a worker, each 2 s (task_queued_timeout) another message about the same attempt goes to the broker.
    product.do("dags", "trigger", "counted", "--run-id", "one")
    product.until(lambda: _count_messages(deployment) >= 3, "three messages about one attempt")
    worker = deployment.start_worker()
    assert product.ended("counted", "one")["state"] == "success"
    product.until(lambda: _count_messages(deployment) == 0, "every message was taken")
    product.until(
        lambda: worker.log().count("claim_refused") + worker.log().count("message_came_again") >= 2,
        "the other messages were refused",
    )
    assert (product.dags / "count.txt").read_text() == "x"


def test_messages_that_the_broker_loses_are_sent_again(deployment: CeleryProduct) -> None:
    product = deployment.product
    product.do("dags", "trigger", "counted", "--run-id", "one")
    product.until(lambda: _count_messages(deployment) >= 1, "a message")
    _purge(deployment)
    deployment.start_worker()
    assert product.ended("counted", "one")["state"] == "success"
    assert (product.dags / "count.txt").read_text() == "x"


def test_a_task_of_another_queue_waits_for_a_worker_of_it(deployment: CeleryProduct) -> None:
    product = deployment.product
    product.write("other.py", _OTHER.replace("QUEUE", f"{deployment.queue}-other"))
    product.has_dag("of_other")
    deployment.start_worker()
    product.do("dags", "trigger", "of_other", "--run-id", "one")
    assert product.run("counted", "--run-id", "one")["state"] == "success"
    assert product.tasks("of_other", "one")["give"]["state"] == "queued"
    deployment.start_worker(f"{deployment.queue}-other")
    assert product.ended("of_other", "one")["state"] == "success"


def test_marking_a_running_task_ends_it_on_its_worker(deployment: CeleryProduct) -> None:
    product = deployment.product
    deployment.start_worker()
    product.do("dags", "trigger", "hangs", "--run-id", "one")
    product.until(
        lambda: (product.dags / "hang.began").exists() and bool((product.dags / "hang.began").read_text()),
        "the task runs",
    )
    pid = int((product.dags / "hang.began").read_text())
    product.do("tasks", "mark", "hangs", "one", "hang", "--state", "failed")
    product.until(lambda: not Path(f"/proc/{pid}").exists(), "its process has ended")
    assert product.ended("hangs", "one")["state"] == "failed"


def test_a_worker_that_dies_costs_its_attempt_a_try_and_another_worker_goes_on() -> None:
    with celery_product(require_broker("redis"), {"hangs.py": _RETRIED}) as deployment:
        product = deployment.product
        product.has_dag("retried")
        worker = deployment.start_worker()
        product.do("dags", "trigger", "retried", "--run-id", "one")
        product.until(lambda: has_text(product.dags / "began.txt"), "the task runs")
        worker.kill()
        deployment.start_worker()
        assert product.ended("retried", "one")["state"] == "success"
        assert (product.dags / "began.txt").read_text() == "xx"
        assert product.tasks("retried", "one")["hang"]["try_number"] == 2
        with closing(sqlite3.connect(product.home / "gnomon.db")) as connection:
            reasons = connection.execute("SELECT reason FROM attempt ORDER BY seq").fetchall()
        assert "stopped answering" in reasons[0][0]


def test_a_worker_starts_while_the_broker_keeps_the_connection_of_another_one_of_its_name() -> None:
    """So a worker that is started again, or that connects again, after its host was cut off."""
    with celery_product(
        require_broker("rabbitmq"), {"work.py": _WORK}, {"GNOMON__SCHEDULER__TASK_QUEUED_TIMEOUT": "2"}
    ) as deployment:
        product = deployment.product
        product.has_dag("counted")
        first = deployment.start_worker(name="same")
        assert product.run("counted", "--run-id", "one")["state"] == "success"
        first.freeze()
        try:
            second = deployment.start_worker(name="same")
            assert product.run("counted", "--run-id", "two")["state"] == "success"
            assert second.process.poll() is None
            assert "RESOURCE_LOCKED" not in second.log()
        finally:
            first.kill()


def test_an_api_server_that_stands_still_for_longer_than_a_worker_lives_costs_no_attempt() -> None:
    with celery_product(require_broker("redis"), {"away.py": _AWAY}) as deployment:
        product = deployment.product
        product.has_dag("away")
        worker = deployment.start_worker()
        product.do("dags", "trigger", "away", "--run-id", "one")
        product.until(
            lambda: (product.dags / "ends.began").exists() and (product.dags / "asks.began").exists(), "both tasks run"
        )
        [api_server] = _find_api_servers(deployment)
        os.kill(api_server, signal.SIGSTOP)
        stopped_at = time.monotonic()
        try:
            (product.dags / "gate").touch()
            product.until(
                lambda: time.monotonic() - stopped_at > WORKER_TTL_S + leases.API_TTL_S,
                "the worker would have been lost",
            )
        finally:
            os.kill(api_server, signal.SIGCONT)
        product.do("dags", "trigger", "away", "--run-id", "two")
        assert product.ended("away", "one")["state"] == "success"
        assert {task_id: row["try_number"] for task_id, row in product.tasks("away", "one").items()} == {
            "ends": 1,
            "asks": 1,
        }
        assert (product.dags / "runs.txt").read_text() == "xx"
        assert product.do("variables", "get", "asked").strip() == "yes"
        assert product.ended("away", "two")["state"] == "success", "the worker goes on"
        assert "incarnation_given_up" not in worker.log()


def test_an_api_server_that_is_killed_in_the_middle_of_batches_loses_and_doubles_nothing() -> None:
    """It dies while its transaction waits for the database, so that nothing of the batch is stored, and at other moments, so that some batches are stored and not answered."""
    with celery_product(
        require_broker("redis"), {"many.py": _MANY}, {"GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "16"}
    ) as deployment:
        product = deployment.product
        product.has_dag("many")
        worker = deployment.start_worker(concurrency=4)
        product.do("dags", "trigger", "many", "--run-id", "one")
        begun, killed = product.dags / "begun.txt", list[int]()
        for number in range(_KILLS):
            least = (number + 1) * _MANY_TASKS // (_KILLS + 2)
            product.until(
                lambda least=least: begun.exists() and len(begun.read_text().split()) >= least, "some tasks have begun"
            )
            killed.append(_kill_api_server(deployment, killed, in_transaction=number % 2 == 0))
        assert product.ended("many", "one")["state"] == "success"
        assert sorted(begun.read_text().split()) == sorted(f"{index}.1" for index in range(_MANY_TASKS)), (
            "each began once, with its first try"
        )
        with closing(sqlite3.connect(product.home / "gnomon.db")) as connection:
            assert connection.execute(
                "SELECT state, try_number, COUNT(*) FROM attempt GROUP BY state, try_number"
            ).fetchall() == [("success", 1, _MANY_TASKS)]
            assert connection.execute("SELECT COUNT(*) FROM remote_attempt").fetchall() == [(0,)]
        assert len(set(killed)) == _KILLS
        assert "incarnation_given_up" not in worker.log()


_MANY_TASKS, _KILLS = 60, 6
_MANY = f"""
import os
from pathlib import Path

from airflow.sdk import DAG, task

with DAG("many", schedule=None):

    @task(retries=1)
    def count(index, ti=None):
        file = os.open(Path(__file__).parent / "begun.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{{index}}.{{ti.try_number}}\\n".encode())
        os.close(file)

    count.expand(index=list(range({_MANY_TASKS})))
"""


def _find_api_servers(deployment: CeleryProduct) -> list[int]:
    return [pid for pid in descendants(deployment.product.process.pid) if _read_name(pid) == "gnomon-api-serv"]


def _kill_api_server(deployment: CeleryProduct, killed: list[int], *, in_transaction: bool) -> int:
    """Kill the api-server, which its supervisor starts again; returns its process id. `in_transaction`: while no transaction of any process can write."""
    product = deployment.product
    found: list[int] = []

    def is_alone() -> bool:
        found[:] = [pid for pid in _find_api_servers(deployment) if pid not in killed]
        return len(found) == 1

    product.until(is_alone, "an api-server")
    [api_server] = found
    with closing(sqlite3.connect(product.home / "gnomon.db", isolation_level=None, timeout=60)) as connection:
        if in_transaction:
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(0.5)  # reports of the running tasks come meanwhile
        os.kill(api_server, signal.SIGKILL)
        if in_transaction:
            connection.execute("ROLLBACK")
    return api_server


def test_lines_of_a_task_that_runs_elsewhere_are_read_while_it_runs_and_afterwards() -> None:
    with celery_product(require_broker("redis"), {"says.py": _SAYS}) as deployment:
        product = deployment.product
        product.has_dag("says")
        deployment.start_worker(shares_logs=False)
        product.do("dags", "trigger", "says", "--run-id", "one")
        product.until(
            lambda: "the first line" in product.cli("tasks", "logs", "says", "one", "say").out, "the first line is read"
        )
        assert product.tasks("says", "one")["say"]["state"] == "running"
        (product.dags / "gate").touch()
        assert product.ended("says", "one")["state"] == "success"
        found = product.task_log("says", "one", "say")
        assert found.count("the first line") == 1 and found.count("the last line") == 1
        assert not list((product.home / "logs").glob("dag_id=says/run_id=one/**/*.log")), (
            "the worker has folders of its own"
        )


_SAYS = """
from pathlib import Path

from airflow.sdk import DAG, task

with DAG("says", schedule=None):

    @task
    def say():
        import time

        print("the first line", flush=True)
        while not (Path(__file__).parent / "gate").exists():
            time.sleep(0.05)
        print("the last line")

    say()
"""


def _read_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


_AWAY = """
from pathlib import Path

from airflow.sdk import DAG, Variable, task

HERE = Path(__file__).parent

def wait(name):
    import time

    with (HERE / "runs.txt").open("a") as file:
        file.write("x" if not (HERE / "gate").exists() else "")
    (HERE / f"{name}.began").touch()
    while not (HERE / "gate").exists():
        time.sleep(0.05)

with DAG("away", schedule=None):

    @task
    def ends():
        wait("ends")

    @task
    def asks():
        wait("asks")
        Variable.set("asked", "yes")

    ends()
    asks()
"""

_OTHER = """
from airflow.sdk import DAG, task

with DAG("of_other", schedule=None):

    @task(queue="QUEUE")
    def give():
        return 1

    give()
"""

_RETRIED = """
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, get_current_context, task

with DAG("retried", schedule=None):

    @task(retries=1, retry_delay=timedelta(0))
    def hang():
        import time

        with (Path(__file__).parent / "began.txt").open("a") as file:
            file.write("x")
        if get_current_context()["ti"].try_number == 1:
            time.sleep(3600)

    hang()
"""


def _count_messages(deployment: CeleryProduct) -> int:
    from kombu import Connection

    with Connection(deployment.broker_url) as connection:
        try:
            return int(connection.default_channel.queue_declare(queue=deployment.queue, passive=True).message_count)
        except Exception:  # the queue does not exist yet
            return 0


def _purge(deployment: CeleryProduct) -> None:
    from kombu import Connection

    with Connection(deployment.broker_url) as connection:
        connection.default_channel.queue_purge(deployment.queue)


_BOTH = """
from airflow.sdk import DAG, task

with DAG("both", schedule=None):

    @task
    def here():
        return "local"

    @task(executor="CeleryExecutor")
    def there(value):
        return value + " and remote"

    @task(executor="far", retries=0)
    def aliased(value):
        return value

    aliased(there(here()))
"""
_UNKNOWN = """
from airflow.sdk import DAG, task

with DAG("unknown", schedule=None):

    @task(executor="KubernetesExecutor")
    def never():
        return 1

    never()
"""
_HOOK = """
def task_instance_mutation_hook(task_instance):
    if task_instance.dag_id == "hooked":
        task_instance.executor = "far"
"""
_HOOKED = """
from airflow.sdk import DAG, task

with DAG("hooked", schedule=None):

    @task
    def moved():
        return 1

    moved()
"""


def test_local_and_celery_executor_side_by_side() -> None:
    """A task runs on the executor that it names, the first of [core] executor runs the others, and hosts are those of the workers."""
    executors = "LocalExecutor,far:airflow.providers.celery.executors.celery_executor.CeleryExecutor"
    with celery_product(
        require_broker("redis"), {"both.py": _BOTH, "unknown.py": _UNKNOWN}, {"GNOMON__CORE__EXECUTOR": executors}
    ) as deployment:
        product = deployment.product
        (product.home / "config").mkdir(exist_ok=True)
        (product.home / "config" / "airflow_local_settings.py").write_text(_HOOK)
        product.has_dag("both")
        product.until(lambda: bool(product.rows("dags", "errors")), "the import error")
        [error] = product.rows("dags", "errors")
        assert (
            "unknown.py, line" in str(error)
            and "names the executor 'KubernetesExecutor', which is not configured: the executors are LocalExecutor, far (CeleryExecutor)"
            in str(error)
        )
        product.do("dags", "trigger", "both", "--run-id", "one")
        product.until(
            lambda: product.tasks("both", "one")["here"]["state"] == "success",
            "the local task has ended without a Celery worker",
        )
        product.until(lambda: product.tasks("both", "one")["there"]["state"] == "queued", "the task waits for Celery")
        explained = product.do("explain", "both", "one", "there")
        assert f"was submitted to the CeleryExecutor and waits for a worker of queue {deployment.queue}" in explained
        deployment.start_worker()
        assert product.ended("both", "one")["state"] == "success"
        executors_of = {row["task_id"]: row["executor"] for row in product.rows("tasks", "states", "both", "one")}
        assert executors_of == {"here": None, "there": "CeleryExecutor", "aliased": "far"}
        product.write("hooked.py", _HOOKED)
        product.has_dag("hooked")
        assert product.run("hooked", "--run-id", "one")["state"] == "success"
        with closing(sqlite3.connect(product.home / "gnomon.db")) as db:
            workers = dict(
                db.execute(
                    "SELECT t.task_id, w.address FROM attempt AS a JOIN dag_run USING (run_pk) JOIN task_name AS t USING (dag_pk, task_no) JOIN worker AS w ON w.id = a.worker"
                )
            )
        assert {name: address.startswith("execution-api") for name, address in workers.items()} == {
            "here": False,
            "there": True,
            "aliased": True,
            "moved": True,
        }
