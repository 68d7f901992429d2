"""Where messages wait: at the broker, until a worker has a free slot. Workers that are busy, stopped or killed; what `explain` says meanwhile; hostile messages."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.celery_product import CeleryProduct, celery_product
from tests.brokers import BROKERS, require_broker
from tests.conformance.hostile_messages import TASK, UNREADABLE
from tests.databases import new_database

FIRST_START_S = 25.0
"""From the death of a worker to the start of what it had fetched: 20 s without heartbeats, and then at once."""
SHORTS = 4
_DAGS = f"""
import os, time
from pathlib import Path
from airflow.sdk import DAG, task

MARKS = Path(__file__).parent

with DAG("long", schedule=None):

    @task(retries=0)
    def hang(ti=None):
        (MARKS / f"{{ti.run_id}}.began").write_text(str(os.getpid()))
        while not (MARKS / f"{{ti.run_id}}.gate").exists():
            time.sleep(0.05)

    hang()

with DAG("again", schedule=None, default_args={{"restartable": True}}):

    @task(retries=0)
    def hang(ti=None):
        with (MARKS / "again.txt").open("a") as file:
            file.write(f"{{os.getpid()}}\\n")
        while not (MARKS / "again.gate").exists():
            time.sleep(0.05)

    hang()

with DAG("shorts", schedule=None):

    @task
    def quick(number, ti=None):
        (MARKS / f"{{ti.run_id}}-{{number}}.at").write_text(str(time.time()))

    quick.expand(number=list(range({SHORTS})))
"""


@pytest.fixture(params=BROKERS)
def deployment(request: pytest.FixtureRequest) -> Iterator[CeleryProduct]:
    with celery_product(require_broker(request.param), {"dags.py": _DAGS}) as running:
        running.product.has_dag("shorts")
        running.product.has_dag("long")
        yield running


def _begin_long(deployment: CeleryProduct, run_id: str) -> None:
    product = deployment.product
    product.do("dags", "trigger", "long", "--run-id", run_id)
    began = product.dags / f"{run_id}.began"
    product.until(lambda: began.exists() and bool(began.read_text()), "the long task runs")


def _starts(deployment: CeleryProduct, run_id: str) -> list[float]:
    return sorted(
        float(path.read_text()) for path in deployment.product.dags.glob(f"{run_id}-*.at") if path.read_text()
    )


def test_no_task_waits_behind_a_busy_worker_while_another_one_is_idle_and_explain_names_them(
    deployment: CeleryProduct,
) -> None:
    product = deployment.product
    deployment.start_worker(concurrency=1)
    _begin_long(deployment, "l1")
    product.do("dags", "trigger", "shorts", "--run-id", "waiting")
    product.until(
        lambda: "its message was sent at" in product.do("explain", "shorts", "waiting", "quick", "--map-index", "0"),
        "the message was sent",
    )
    said = product.do("explain", "shorts", "waiting", "quick", "--map-index", "0")
    assert (
        f"waits for a worker of queue {deployment.queue}; 1 live worker takes this queue, with 0 free slots: " in said
        and "start one" not in said
    )
    assert [row["queues"] for row in product.rows("services") if row["service"] == "worker"] == [[deployment.queue]]
    deployment.start_worker(concurrency=1)
    assert product.ended("shorts", "waiting")["state"] == "success"
    assert product.tasks("long", "l1")["hang"]["state"] == "running"
    (product.dags / "l1.gate").touch()
    assert product.ended("long", "l1")["state"] == "success"


def test_what_a_killed_worker_had_fetched_starts_elsewhere_long_before_the_queued_timeout(
    deployment: CeleryProduct,
) -> None:
    """Also with a multiplier above 1, where messages wait in the worker."""
    assert _kill_a_worker_with_messages(deployment) < 300.0


@pytest.mark.soak
def test_what_a_killed_worker_had_fetched_starts_elsewhere_within_25_seconds(deployment: CeleryProduct) -> None:
    assert _kill_a_worker_with_messages(deployment) <= FIRST_START_S


def _kill_a_worker_with_messages(deployment: CeleryProduct) -> float:
    """Seconds from the death of a worker to the first start of an attempt whose message it had fetched."""
    product = deployment.product
    first = deployment.start_worker(
        concurrency=1, environ={"GNOMON__CELERY__WORKER_PREFETCH_MULTIPLIER": str(SHORTS + 1)}
    )
    _begin_long(deployment, "l1")
    product.do("dags", "trigger", "shorts", "--run-id", "stranded")
    product.until(
        lambda: "its message was sent at" in product.do("explain", "shorts", "stranded", "quick", "--map-index", "3"),
        "the last message was sent",
    )
    time.sleep(2.0)  # the worker takes them at once
    deployment.start_worker(concurrency=1)
    first.kill()
    killed_at = time.time()
    assert product.ended("shorts", "stranded")["state"] == "success"
    starts = _starts(deployment, "stranded")
    assert len(starts) == SHORTS
    print(f"the first started {starts[0] - killed_at:.1f} s after the kill, the last {starts[-1] - killed_at:.1f} s")
    return starts[0] - killed_at


def test_a_task_without_retries_fails_when_its_worker_is_stopped_unless_it_is_restartable(
    deployment: CeleryProduct,
) -> None:
    product = deployment.product
    first = deployment.start_worker(concurrency=2)
    _begin_long(deployment, "l1")
    product.do("dags", "trigger", "again", "--run-id", "one")
    marks = product.dags / "again.txt"
    product.until(lambda: marks.exists() and marks.read_text().count("\n") == 1, "the restartable task runs")
    os.kill(first.process.pid, signal.SIGTERM)
    deployment.start_worker(concurrency=2)
    assert product.ended("long", "l1")["state"] == "failed"
    product.until(lambda: marks.read_text().count("\n") == 2, "it runs again")
    (product.dags / "again.gate").touch()
    assert product.ended("again", "one")["state"] == "success"
    assert product.tasks("again", "one")["hang"]["try_number"] == 1


@pytest.mark.soak
@pytest.mark.postgres
def test_the_next_scheduler_knows_how_often_a_task_was_restarted() -> None:
    """On PostgreSQL: the count is that of the stored reason, also of an attempt that runs while the scheduler is replaced."""
    with (
        new_database("postgresql") as url,
        celery_product(
            require_broker("redis"), {"dags.py": _DAGS}, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}
        ) as deployment,
    ):
        product = deployment.product
        product.has_dag("again")
        product.do("dags", "trigger", "again", "--run-id", "one")
        marks = product.dags / "again.txt"
        for number in range(1, 4):
            worker = deployment.start_worker(concurrency=1)
            product.until(
                lambda number=number: marks.exists() and marks.read_text().count("\n") == number, "the task runs"
            )  # type: ignore[misc]
            if number > 1:
                product.until(
                    lambda number=number: (
                        f"({number - 1} of at most " in (product.tasks("again", "one")["hang"]["reason"] or "")
                    ),
                    "the reason counts",
                )  # type: ignore[misc]
            if number == 2:
                product.restart()
            if number < 3:
                worker.kill()
        (product.dags / "again.gate").touch()
        deployment.stop()
        deployment.start_worker(concurrency=1)
        assert product.ended("again", "one")["state"] == "success"
        assert product.tasks("again", "one")["hang"]["try_number"] == 1


@pytest.mark.soak
def test_a_long_task_whose_message_redis_gives_to_another_worker_is_run_once() -> None:
    """After a visibility timeout of two seconds."""
    with celery_product(require_broker("redis"), {"dags.py": _DAGS}) as deployment:
        product = deployment.product
        product.has_dag("long")
        workers = [
            deployment.start_worker(
                concurrency=1, environ={"GNOMON__CELERY_BROKER_TRANSPORT_OPTIONS__VISIBILITY_TIMEOUT": "2"}
            )
            for _ in range(2)
        ]
        _begin_long(deployment, "l1")
        pid = (product.dags / "l1.began").read_text()
        product.until(
            lambda: any(
                words in worker.log() for worker in workers for words in ('"claim_refused"', '"message_came_again"')
            ),
            "the message came again",
        )
        product.do("dags", "trigger", "shorts", "--run-id", "beside")
        assert product.ended("shorts", "beside")["state"] == "success"
        assert [worker.process.poll() for worker in workers] == [None, None]
        (product.dags / "l1.gate").touch()
        assert product.ended("long", "l1")["state"] == "success"
        assert ((product.dags / "l1.began").read_text(), product.tasks("long", "l1")["hang"]["try_number"]) == (pid, 1)


def test_hostile_messages_neither_end_a_worker_nor_hold_a_slot_and_it_stops_in_its_time(
    deployment: CeleryProduct,
) -> None:
    from kombu import Connection

    product = deployment.product
    worker = deployment.start_worker(concurrency=1)
    product.do("dags", "trigger", "shorts", "--run-id", "before")
    assert (
        product.ended("shorts", "before")["state"] == "success"
    )  # the worker has declared its queue: RabbitMQ drops messages for a queue that there is not
    with Connection(
        deployment.broker_url
    ) as connection:  # open until all have arrived: RabbitMQ drops what it has not read when a connection is closed
        producer = connection.Producer(auto_declare=False)
        for message in UNREADABLE.values():
            producer.publish(routing_key=deployment.queue, exchange="", **message)
        for token in (
            "aaaa.bbbb.cccc",
            "x",
            "..",
            "-" * 4_000,
        ):  # in the form of a token: the api-server refuses the claim
            body = json.dumps([["0" * 36, token], {}, {}])
            producer.publish(
                body,
                routing_key=deployment.queue,
                exchange="",
                headers={"task": TASK, "id": "x"},
                content_type="application/json",
                content_encoding="utf-8",
            )
        product.do("dags", "trigger", "shorts", "--run-id", "after")
        assert product.ended("shorts", "after")["state"] == "success"
        for message in UNREADABLE.values():
            producer.publish(routing_key=deployment.queue, exchange="", **message)
        product.until(
            lambda: worker.log().count('"message_refused"') >= 2 * len(UNREADABLE), "all messages were refused"
        )
    assert worker.process.poll() is None
    assert "reports_failed" not in worker.log()
    os.kill(worker.process.pid, signal.SIGTERM)
    stopped_at = time.monotonic()
    product.until(lambda: worker.process.poll() is not None, "the worker has ended")
    print(f"it ended {time.monotonic() - stopped_at:.1f} s after SIGTERM")
    assert not Path(f"/proc/{worker.process.pid}/fd").exists()
