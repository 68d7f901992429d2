"""Spark and Hive: programs of these names on the path record with which words they are called, and answer as a success."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from use_case import connect, run_tasks, use

PROGRAM = """#!{python}
import json, pathlib, sys
said = [pathlib.Path(word).read_text() for word, before in zip(sys.argv[1:], sys.argv) if before == "-f"]
with open({calls!r}, "a") as file:
    file.write(json.dumps([pathlib.Path(sys.argv[0]).name, *sys.argv[1:], *said]) + "\\n")
"""


@contextmanager
def recording_programs(*names: str) -> Iterator[list[list[str]]]:
    """Programs of these names come first on the path. The list has, after the block, name and words of each call, and the text of the file behind `-f`."""
    calls: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "calls")
        for name in names:
            program = Path(folder, name)
            program.write_text(PROGRAM.format(python=sys.executable, calls=str(record)))
            program.chmod(0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{before}"
        try:
            yield calls
        finally:
            os.environ["PATH"] = before
            calls += [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


@use("apache-spark", "SparkSubmitOperator, up to the command line of spark-submit")
def spark() -> None:
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

    connect("spark_use", "spark", host="local[2]", extra=json.dumps({"queue": "etl"}))

    def make() -> None:
        SparkSubmitOperator(
            task_id="submitted",
            conn_id="spark_use",
            application="/jobs/{{ dag.dag_id }}.jar",
            java_class="shop.Daily",
            conf={"spark.a": "b"},
            num_executors=3,
            executor_memory="2G",
            application_args=["--day", "{{ run_id | length > 0 }}"],
            name="daily",
            verbose=True,
        )
        SparkSubmitOperator(
            task_id="secured", conn_id="spark_use", application="/jobs/x.py", keytab="/k.keytab", principal="ada@SHOP"
        )

    with recording_programs("spark-submit") as calls:
        run_tasks(make)
    (submitted,), (secured,) = (
        [call for call in calls if call[0] == "spark-submit" and (path in call)]
        for path in ("/jobs/use.jar", "/jobs/x.py")
    )
    assert submitted[:3] == ["spark-submit", "--master", "local[2]"], submitted
    words = " ".join(submitted)
    for part in (
        "--conf spark.a=b",
        "--executor-memory 2G",
        "--num-executors 3",
        "--name daily",
        "--class shop.Daily",
        "--queue etl",
        "--verbose",
    ):
        assert part in words, words
    assert submitted[-3:] == ["/jobs/use.jar", "--day", "True"]
    assert "--keytab /k.keytab --principal ada@SHOP" in " ".join(secured) and secured[-1] == "/jobs/x.py"


@use("apache-hive", "HiveOperator, up to the command lines of hive and beeline")
def hive() -> None:
    from airflow.providers.apache.hive.operators.hive import HiveOperator

    connect("hive_use", "hive_cli", schema="shop", extra=json.dumps({"use_beeline": False}))
    connect(
        "beeline_use",
        "hive_cli",
        host="hive.example",
        port=10000,
        schema="shop",
        login="ada",
        password="secret",
        extra=json.dumps({"use_beeline": True}),
    )

    def make() -> None:
        HiveOperator(
            task_id="asked",
            hive_cli_conn_id="hive_use",
            hql="SELECT '{{ dag.dag_id }}' FROM orders",
            schema="shop",
            hiveconfs={"a.b": "c"},
        )
        HiveOperator(task_id="asked_beeline", hive_cli_conn_id="beeline_use", hql="SELECT 2")

    with recording_programs("hive", "beeline") as calls:
        run_tasks(make)
    by_name = {call[0]: call for call in calls}
    plain, beeline = by_name["hive"], by_name["beeline"]
    assert "SELECT 'use' FROM orders" in plain[-1] and "USE shop" in plain[-1]
    assert "a.b=c" in plain and any(
        word.startswith("airflow.ctx.task_id=asked") or "task_id=asked" in word for word in plain
    ), plain
    assert (
        "jdbc:hive2://hive.example:10000/shop" in beeline[beeline.index("-u") + 1]
        and beeline[beeline.index("-n") + 1] == "ada"
    )
    assert "SELECT 2" in beeline[-1]
