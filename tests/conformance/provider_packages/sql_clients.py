"""Databases that are not on this machine: their hooks with a driver that answers from SQLite; Presto and Snowflake by their HTTP protocols."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from fake_driver import PymssqlConnection, PyodbcConnection, PyodbcRow, fake_driver
from fake_http import Request, fake_api, fake_internet
from use_case import connect, make_private_key, run_tasks, use


def _write_and_ask(conn_id: str, question: str, parameters: object, **hook: Any) -> Any:
    """Tasks that make a table, write rows with the hook's `insert_rows`, and ask; returns the answer to the question."""
    from airflow.providers.common.sql.hooks.sql import DbApiHook
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
    from airflow.sdk import task

    def make() -> None:
        made = SQLExecuteQueryOperator(
            task_id="made", conn_id=conn_id, sql="CREATE TABLE days (day VARCHAR(10), n INTEGER)", hook_params=hook
        )

        @task
        def written() -> None:
            DbApiHook.get_hook(conn_id, hook_params=hook).insert_rows(
                "days", [("a", 40), ("b", 2)], ["day", "n"], commit_every=1
            )

        asked = SQLExecuteQueryOperator(
            task_id="asked", conn_id=conn_id, sql=question, parameters=parameters, hook_params=hook
        )
        made >> written() >> asked

    return run_tasks(make)["asked"]


@use(
    "microsoft-mssql",
    "MsSqlHook: insert_rows, and SQLExecuteQueryOperator, with a local driver in the place of pymssql",
)
def mssql() -> None:
    with fake_driver("pymssql.connect", PymssqlConnection) as driver:
        connect(
            "mssql_use",
            "mssql",
            host="sql.example.org",
            port=1433,
            login="ada",
            password="p",
            schema="shop",
            extra={"tds_version": "7.4"},
        )
        found = _write_and_ask(
            "mssql_use", "SELECT sum(n) FROM days WHERE day <> %(day)s -- {{ dag.dag_id }}", {"day": "c"}
        )
        assert [tuple(row) for row in found] == [(42,)]
        assert driver.execute("SELECT day, n FROM days ORDER BY n") == [("b", 2), ("a", 40)], "the hook commits"
    assert all(
        kwargs
        == {
            "server": "sql.example.org",
            "user": "ada",
            "password": "p",
            "database": "shop",
            "port": "1433",
            "tds_version": "7.4",
        }
        for _, kwargs in driver.calls
    )
    assert "SELECT sum(n) FROM days WHERE day <> %(day)s -- use" in driver.statements
    assert (
        next(one for one in driver.statements if one.startswith("INSERT")) == "INSERT INTO days (day, n) VALUES (%s,%s)"
    )


@use(
    "oracle",
    "OracleHook: insert_rows, OracleToOracleOperator and OracleStoredProcedureOperator, with a local driver in the place of oracledb",
)
def oracle() -> None:
    from airflow.providers.oracle.operators.oracle import OracleStoredProcedureOperator
    from airflow.providers.oracle.transfers.oracle_to_oracle import OracleToOracleOperator

    with fake_driver("oracledb.connect") as driver:
        connect(
            "oracle_use",
            "oracle",
            host="db.example.org",
            port=1521,
            login="ada",
            password="p",
            extra={"service_name": "shop", "mode": "sysdba"},
        )
        found = _write_and_ask(
            "oracle_use", "SELECT sum(n) FROM days WHERE day <> :day -- {{ dag.dag_id }}", {"day": "c"}
        )
        assert [tuple(row) for row in found] == [(42,)]
        driver.answered["BEGIN shop.close_day(:1,:2); END;"] = ["use", 7]
        driver.execute("CREATE TABLE kept (day VARCHAR(10), n INTEGER)")

        def make() -> None:
            moved = OracleToOracleOperator(
                task_id="moved",
                oracle_source_conn_id="oracle_use",
                oracle_destination_conn_id="oracle_use",
                destination_table="kept",
                source_sql="SELECT day, n FROM days WHERE day <> :day",
                source_sql_params={"day": "{{ dag.dag_id }}"},
                rows_chunk=1,
            )
            moved >> OracleStoredProcedureOperator(
                task_id="called",
                oracle_conn_id="oracle_use",
                procedure="shop.close_day",
                parameters=["{{ dag.dag_id }}", int],
            )

        assert run_tasks(make)["called"] == ["use", 7]
        assert driver.execute("SELECT day, n FROM kept ORDER BY n") == [("b", 2), ("a", 40)], "the operator commits"
    dsn = driver.calls[0][1]["dsn"]
    assert "(HOST=db.example.org)(PORT=1521)" in dsn and "(SERVICE_NAME=shop)" in dsn
    assert driver.calls[0][1]["mode"].name == "SYSDBA"
    assert "INSERT /*+ APPEND */ INTO days (day, n) VALUES ('a',40)" in driver.statements


@use("jdbc", "JdbcHook: insert_rows, and SQLExecuteQueryOperator, with a local driver in the place of JayDeBeApi")
def jdbc() -> None:
    with fake_driver("jaydebeapi.connect") as driver:
        connect(
            "jdbc_use",
            "jdbc",
            host="jdbc:shop://db.example.org/shop",
            login="ada",
            password="p",
            extra={"placeholder": "?"},
        )
        found = _write_and_ask(
            "jdbc_use",
            "SELECT sum(n) FROM days WHERE day <> ? -- {{ dag.dag_id }}",
            ("c",),
            driver_path="/drivers/shop.jar",
            driver_class="org.example.Driver",
        )
        assert [tuple(row) for row in found] == [(42,)]
        assert driver.execute("SELECT day, n FROM days ORDER BY n") == [("b", 2), ("a", 40)], "the hook commits"
    assert all(
        kwargs
        == {
            "jclassname": "org.example.Driver",
            "url": "jdbc:shop://db.example.org/shop",
            "driver_args": ["ada", "p"],
            "jars": ["/drivers/shop.jar"],
        }
        for _, kwargs in driver.calls
    )
    assert "INSERT INTO days (day, n) VALUES (?,?)" in driver.statements


@use("odbc", "OdbcHook: insert_rows, and SQLExecuteQueryOperator, with a local driver in the place of pyodbc")
def odbc() -> None:
    pyodbc = ModuleType("pyodbc")  # the real one needs a library of the system to be imported
    vars(pyodbc).update(Connection=PyodbcConnection, Row=PyodbcRow, connect=None)
    sys.modules["pyodbc"] = pyodbc
    from airflow.providers.odbc.hooks.odbc import OdbcHook

    with fake_driver("airflow.providers.odbc.hooks.odbc.connect", PyodbcConnection) as driver:
        connect(
            "odbc_use",
            "odbc",
            host="db.example.org",
            port=1433,
            login="ada",
            password="p",
            schema="shop",
            extra={"placeholder": "?", "ApplicationIntent": "ReadOnly", "connect_kwargs": {"timeout": 5}},
        )
        found = _write_and_ask(
            "odbc_use",
            "SELECT sum(n) AS n FROM days WHERE day <> ? -- {{ dag.dag_id }}",
            ("c",),
            driver="{Shop Driver}",
        )
        assert [tuple(row) for row in found] == [(42,)]
        assert OdbcHook("odbc_use", driver="{Shop Driver}").get_first(
            "SELECT day, n FROM days WHERE n = ?", (2,)
        )._asdict() == {"day": "b", "n": 2}
        assert driver.execute("SELECT day, n FROM days ORDER BY n") == [("b", 2), ("a", 40)], "the hook commits"
    words = (
        "DRIVER={Shop Driver};SERVER=db.example.org;DATABASE=shop;UID=ada;PWD=p;PORT=1433;ApplicationIntent=ReadOnly;"
    )
    assert all(call == ((words,), {"timeout": 5}) for call in driver.calls), driver.calls
    assert "INSERT INTO days (day, n) VALUES (?,?)" in driver.statements


@use("presto", "SQLExecuteQueryOperator with PrestoHook, on an API of Presto")
def presto() -> None:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

    def start(request: Request) -> Any:
        host = request.headers["Host"]
        return {
            "id": "q",
            "infoUri": f"http://{host}/ui",
            "nextUri": f"http://{host}/v1/statement/q/1",
            "stats": {"state": "QUEUED"},
        }

    column = {"name": "n", "type": "integer", "typeSignature": {"rawType": "integer", "arguments": []}}
    result = {
        "id": "q",
        "infoUri": "http://127.0.0.1/ui",
        "columns": [column],
        "data": [[42]],
        "stats": {"state": "FINISHED"},
    }
    with fake_api({"POST /v1/statement": start, "GET /v1/statement/q/1": result}) as api:
        connect(
            "presto_use", "presto", host="127.0.0.1", port=api.port, login="me", schema="s", extra={"catalog": "hive"}
        )

        def make() -> None:
            SQLExecuteQueryOperator(task_id="asked", conn_id="presto_use", sql="SELECT 42 AS n -- {{ dag.dag_id }}")

        (row,) = run_tasks(make)["asked"]
        assert row[0] == 42
        posted = next(request for request in api.requests if request.method == "POST")
    assert posted.body == b"SELECT 42 AS n -- use"
    assert '"dag_id": "use"' in posted.headers["X-Presto-Client-Info"], "the hook says to which run its query belongs"


_SNOWFLAKE = "shop.snowflakecomputing.com"


@use("snowflake", "SQLExecuteQueryOperator with SnowflakeHook, and SnowflakeSqlApiOperator, on APIs of Snowflake")
def snowflake() -> None:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
    from airflow.providers.snowflake.operators.snowflake import SnowflakeSqlApiOperator

    session = {
        "token": "t",
        "masterToken": "m",
        "sessionId": 1,
        "validityInSeconds": 3600,
        "masterValidityInSeconds": 14400,
        "parameters": [],
        "sessionInfo": {"databaseName": "SHOP", "schemaName": "PUBLIC", "warehouseName": "W", "roleName": "R"},
        "idToken": None,
        "mfaToken": None,
    }

    def answer_query(request: Request) -> Any:
        is_question = "42" in request.json()["sqlText"]
        column = {
            "name": "N",
            "type": "fixed",
            "nullable": False,
            "precision": 38,
            "scale": 0,
            "length": None,
            "byteLength": None,
        }
        data = {
            "parameters": [],
            "rowtype": [column],
            "rowset": [["42"]] if is_question else [["0"]],
            "total": 1,
            "returned": 1,
            "queryId": "q-1",
            "queryResultFormat": "json",
            "statementTypeId": 4096 if is_question else 0,
            "finalDatabaseName": "SHOP",
            "finalSchemaName": "PUBLIC",
            "finalWarehouseName": "W",
            "finalRoleName": "R",
            "numberOfBinds": 0,
            "arrayBindSupported": False,
            "version": 1,
        }
        return {"data": data, "code": None, "message": None, "success": True}

    answers = {
        f"POST {_SNOWFLAKE}/session/v1/login-request": {
            "data": session,
            "code": None,
            "message": None,
            "success": True,
        },
        f"POST {_SNOWFLAKE}/queries/v1/query-request": answer_query,
        f"POST {_SNOWFLAKE}/session": {"data": None, "success": True},
        f"POST {_SNOWFLAKE}/telemetry/send": {"data": "", "success": True},
        f"POST {_SNOWFLAKE}/api/v2/statements": {"statementHandle": "s-1", "code": "090001", "message": "done"},
        f"GET {_SNOWFLAKE}/api/v2/statements/s-1": {"statementHandle": "s-1", "code": "090001", "message": "done"},
    }
    with fake_internet(answers) as api:
        connect(
            "snowflake_use",
            "snowflake",
            login="ada",
            password="p",
            schema="PUBLIC",
            extra={
                "account": "shop",
                "warehouse": "W",
                "database": "SHOP",
                "role": "R",
                "insecure_mode": True,
                "proxy_host": "127.0.0.1",
                "proxy_port": api.port,
            },
        )
        connect(
            "snowflake_token_use",
            "snowflake",
            login="ada",
            extra={
                "account": "shop",
                "warehouse": "W",
                "database": "SHOP",
                "role": "R",
                "private_key_content": make_private_key(),
            },
        )

        def make() -> None:
            asked = SQLExecuteQueryOperator(
                task_id="asked", conn_id="snowflake_use", sql="SELECT 42 AS n -- {{ dag.dag_id }}"
            )
            asked >> SnowflakeSqlApiOperator(
                task_id="sent",
                snowflake_conn_id="snowflake_token_use",
                sql="CALL close_day('{{ dag.dag_id }}')",
                statement_count=1,
                poll_interval=1,
            )

        assert [tuple(row) for row in run_tasks(make)["asked"]] == [(42,)]
        (login,) = (request for request in api.requests if request.path == "/session/v1/login-request")
        asked = [request.json()["sqlText"] for request in api.requests if request.path == "/queries/v1/query-request"]
        (sent,) = (request for request in api.requests if request.path == "/api/v2/statements")
    assert login.json()["data"]["LOGIN_NAME"] == "ada" and "warehouse=W" in login.query
    assert any(text.startswith("SELECT 42 AS n") for text in asked), asked
    assert (
        sent.json()["statement"] == "CALL close_day('use')"
        and sent.headers["X-Snowflake-Authorization-Token-Type"] == "KEYPAIR_JWT"
    )
