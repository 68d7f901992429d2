"""Celery workers whose every message to the api-server may be altered in any field: tasks of honest workers run and end beside them, and no service fails.

FUZZ_S seconds each (an hour without it); FUZZ_SEED repeats the alterations as far as the order of processes does.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from tests.acceptance.celery_product import celery_product
from tests.brokers import require_broker
from tests.conformance.hostileworld import soak_until
from tests.databases import new_database

HONEST = 24
HOSTILE = 24
WORKERS = 2
ROUND_S = 600.0
"""Seconds after which a round that has not ended is a failure, also on a machine that is busy with other work."""
_DAGS = f"""
from datetime import datetime, timedelta
from airflow.sdk import DAG, task

for number in range({HONEST}):
    with DAG(f"honest{{number}}", schedule=timedelta(seconds=10), start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1):
        @task
        def give():
            return [1, 2, 3]

        @task
        def take(value):
            print(value)

        @task
        def end(dag=None):
            with open(__file__ + ".ends", "a") as ends:
                ends.write(dag.dag_id + "\\n")

        take.expand(value=give()) >> end()

for number in range({HOSTILE}):
    with DAG(f"hostile{{number}}", schedule=timedelta(seconds=5), start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=3,
             dagrun_timeout=timedelta(seconds=60), default_args={{"queue": "QUEUE", "retries": 0}}):
        @task(multiple_outputs=True)
        def give(ti=None):
            ti.xcom_push("other", {{"a": [1, None]}})
            return {{"x": 1, "y": ["text"]}}

        @task
        def fail():
            raise ValueError("a reason")

        give()
        fail()
"""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("broker", "database"), [("redis", "sqlite"), pytest.param("rabbitmq", "postgresql", marks=pytest.mark.postgres)]
)
def test_workers_whose_messages_are_altered_hurt_no_task_of_others(broker: str, database: str, tmp_path: Path) -> None:
    seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 2**31)
    print(f"seed {seed}")
    url = require_broker(broker)
    queue = f"gnomon-test-hostile-{time.time_ns()}"
    with (
        new_database(database, tmp_path) as address,
        celery_product(
            url, {"dags.py": _DAGS.replace("QUEUE", queue)}, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": address}
        ) as deployment,
    ):
        product = deployment.product
        deployment.start_worker(concurrency=4)
        figures = [tmp_path / f"figures{number}" for number in range(WORKERS)]
        path_of_script = str(Path(__file__).with_name("hostile_worker.py"))
        path = {"PYTHONPATH": str(Path(__file__).parents[2])}
        for number, figure in enumerate(figures):
            script = (path_of_script, str(seed + number), str(figure))
            deployment.start_worker(queue, concurrency=4, name=f"hostile{number}", environ=path, script=script)
        product.has_dag("honest0")
        until, ends = soak_until(os.environ.get("FUZZ_S")), product.dags / "dags.py.ends"
        while time.monotonic() < until:
            before = _count_least(ends)
            product.until(
                partial(_has_more_ends, ends, before), "each DAG of honest tasks has ended once more", ROUND_S
            )
        found = Counter(
            row["state"]
            for row in product.rows("runs", "list", "--limit", "1000000")
            if row["dag_id"].startswith("honest")
        )
        print(f"runs of honest tasks: {dict(found)}")
        sent: Counter[str] = Counter()
        for figure in figures:
            sent.update(json.loads(figure.read_text()))
        print(dict(sorted(sent.items())))
        print(product.do("quarantine", "list"))
        log = product.log()
        (tmp_path / "standalone.log").write_text(log)
        assert set(found) <= {"success", "running", "queued"}
        assert not [kind for kind in sent if kind.startswith("answered 5")], sent
        assert sent["altered result"] > 10
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:4000]


def _has_more_ends(ends: Path, before: int) -> bool:
    return _count_least(ends) > before


def _count_least(ends: Path) -> int:
    """The ends of the DAG that ended least often."""
    counts = Counter(ends.read_text().splitlines()) if ends.exists() else Counter()
    return min(counts[f"honest{number}"] for number in range(HONEST))
