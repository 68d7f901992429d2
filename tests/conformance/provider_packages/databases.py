"""Databases: PostgreSQL, MariaDB, SQLite and Redis of this machine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from uuid import uuid4

from use_case import connect, run_tasks, use


@use("sqlite", "SqliteHook and a file: insert_rows, get_records")
def sqlite() -> None:
    from airflow.providers.sqlite.hooks.sqlite import SqliteHook
    from airflow.sdk import task

    with tempfile.TemporaryDirectory() as folder:
        connect("sqlite_use", "sqlite", host=str(Path(folder) / "use.db"))

        def make() -> None:
            @task
            def sums() -> list[int]:
                hook = SqliteHook("sqlite_use")
                hook.run("CREATE TABLE numbers (n INTEGER)")
                hook.insert_rows("numbers", [(1,), (2,)], ["n"])
                return [n for (n,) in hook.get_records("SELECT sum(n) FROM numbers")]

            sums()

        assert run_tasks(make)["sums"] == [3]


@use("common-sql", "SQLExecuteQueryOperator, SQLColumnCheckOperator and SqlSensor, on SQLite")
def common_sql() -> None:
    from airflow.providers.common.sql.operators.sql import SQLColumnCheckOperator, SQLExecuteQueryOperator
    from airflow.providers.common.sql.sensors.sql import SqlSensor

    with tempfile.TemporaryDirectory() as folder:
        connect("sql_use", "sqlite", host=str(Path(folder) / "use.db"))

        def make() -> None:
            made = SQLExecuteQueryOperator(
                task_id="made",
                conn_id="sql_use",
                sql=["CREATE TABLE days (day TEXT, n INTEGER)", "INSERT INTO days VALUES ('{{ ds }}', 3)"],
                split_statements=False,
            )
            waited = SqlSensor(
                task_id="waited",
                conn_id="sql_use",
                sql="SELECT count(*) FROM days WHERE day = '{{ ds }}'",
                poke_interval=0.1,
            )
            checked = SQLColumnCheckOperator(
                task_id="checked", conn_id="sql_use", table="days", column_mapping={"n": {"max": {"equal_to": 3}}}
            )
            made >> waited >> checked

        run_tasks(make)


@use("postgres", "PostgresHook and SQLExecuteQueryOperator, on a PostgreSQL server")
def postgres() -> None:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
    from airflow.providers.postgres.hooks.postgres import PostgresHook

    connect("postgres_use", "postgres", host="127.0.0.1", port=5432, login="postgres", schema="postgres")

    def make() -> None:
        SQLExecuteQueryOperator(
            task_id="asked", conn_id="postgres_use", sql="SELECT %(n)s::int + 1", parameters={"n": 41}
        )

    assert run_tasks(make)["asked"] == [(42,)]
    with tempfile.TemporaryDirectory() as folder:
        table = f"use_{uuid4().hex}"
        (Path(folder) / "rows.tsv").write_text("1\tone\n2\ttwo\n")
        hook = PostgresHook("postgres_use")
        hook.run(f"CREATE TABLE {table} (n INTEGER, name TEXT)")
        try:
            hook.bulk_load(table, str(Path(folder) / "rows.tsv"))
            assert hook.get_records(f"SELECT n, name FROM {table} ORDER BY n") == [(1, "one"), (2, "two")]
        finally:
            hook.run(f"DROP TABLE {table}")


@use("mysql", "MySqlHook and SQLExecuteQueryOperator, on a MariaDB server")
def mysql() -> None:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
    from airflow.providers.mysql.hooks.mysql import MySqlHook

    connect("mysql_use", "mysql", host="127.0.0.1", port=3306, login="root", extra={"client": "mysql-connector-python"})

    def make() -> None:
        SQLExecuteQueryOperator(task_id="asked", conn_id="mysql_use", sql="SELECT %(n)s + 1", parameters={"n": 41})

    assert run_tasks(make)["asked"] == [(42,)]
    assert MySqlHook("mysql_use").get_first("SELECT 1") == (1,)


@use("redis", "RedisPublishOperator and RedisKeySensor, on a Redis server")
def redis() -> None:
    from airflow.providers.redis.hooks.redis import RedisHook
    from airflow.providers.redis.operators.redis_publish import RedisPublishOperator
    from airflow.providers.redis.sensors.redis_key import RedisKeySensor

    connect("redis_use", "redis", host="127.0.0.1", port=6379)
    client = RedisHook("redis_use").get_conn()
    key = f"use-{uuid4().hex}"
    client.set(key, "1", ex=600)
    listener = client.pubsub()
    listener.subscribe(key)

    def make() -> None:
        waited = RedisKeySensor(task_id="waited", key=key, redis_conn_id="redis_use", poke_interval=0.1)
        waited >> RedisPublishOperator(
            task_id="told", channel=key, message="{{ dag.dag_id }}", redis_conn_id="redis_use"
        )

    run_tasks(make)
    messages = [listener.get_message(timeout=60) for _ in range(2)]
    listener.close()
    client.delete(key)
    assert [message["data"] for message in messages if message and message["type"] == "message"] == [b"use"]


@use("common-messaging", "MessageQueueTrigger of a Redis channel, awaited by a task")
def common_messaging() -> None:
    import asyncio
    import threading
    import time

    from airflow.providers.common.messaging.triggers.msg_queue import MessageQueueTrigger
    from airflow.providers.redis.hooks.redis import RedisHook

    connect("redis_default", "redis", host="127.0.0.1", port=6379)
    channel = f"use-{uuid4().hex}"
    trigger = MessageQueueTrigger(scheme="redis+pubsub", channels=[channel], poll_interval=0.05)

    def send() -> None:
        client = RedisHook("redis_default").get_conn()
        while not client.publish(channel, "hello"):
            time.sleep(0.05)

    async def wait() -> object:
        async for event in trigger.run():
            return event.payload
        return None

    threading.Thread(target=send, daemon=True).start()
    payload = asyncio.run(asyncio.wait_for(wait(), 30))
    assert "hello" in str(payload), payload
