"""Mistakes at the command line: exit code, nothing on stdout, and a sentence on stderr with thing, place and remedy."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Ended, Product, product
from tests.commands import run_command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
ETL = """
from airflow.sdk import DAG, task
with DAG("etl", is_paused_upon_creation=False):
    @task
    def load():
        return 1
    load()
"""


@pytest.fixture(scope="module")
def it() -> Iterator[Product]:
    with product({"etl.py": ETL}) as running:
        running.has_dag("etl")
        running.run("etl", "--run-id", "nightly")
        yield running


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("dags show elt", 1, "there is no DAG 'elt'; did you mean 'etl'?"),
        ("dags trigger elt", 1, "there is no DAG 'elt'; did you mean 'etl'?"),
        ("dags pause xyzzy", 1, "there is no DAG 'xyzzy'; `gnomon dags list` lists all DAGs"),
        ("dags delete elt", 1, "there is no DAG 'elt'"),
        ("explain elt", 1, "there is no DAG 'elt'"),
        ("runs list elt", 1, "there is no DAG 'elt'"),
        ("runs show etl nihtly", 1, "there is no run 'nihtly' of DAG 'etl'; did you mean 'nightly'?"),
        ("runs clear etl zzz", 1, "there is no run 'zzz' of DAG 'etl'; `gnomon runs list etl` lists all runs"),
        ("explain etl nihtly", 1, "did you mean 'nightly'?"),
        ("tasks states etl nihtly", 1, "did you mean 'nightly'?"),
        ("tasks logs etl nightly laod", 1, "there is no task 'laod' in DAG 'etl'; did you mean 'load'?"),
        ("tasks clear etl nightly laod", 1, "there is no task 'laod' in DAG 'etl'; did you mean 'load'?"),
        ("explain etl nightly laod", 1, "there is no task 'laod'"),
        ("pools delete smal", 1, "there is no pool 'smal'; `gnomon pools list` lists all pools"),
        ("variables get nothing", 1, "there is no Variable 'nothing'"),
        ("config get-value core paralelism", 1, "Did you mean [core] parallelism?"),
        ("dags trigger etl --conf {nope", 2, "JSON"),
        ("dags trigger etl --conf [1]", 2, "JSON object"),
        ("dags trigger etl --logical-date yesterday", 2, "yesterday"),
        ("dags list -o xml", 2, "'xml' is not one of 'table', 'json', 'yaml'"),
        ("dags lsit", 2, "lsit"),
        ("pools set small many", 2, "'many' is not an integer from -1 to 2147483647"),
        ("runs show etl", 2, "Missing argument"),
    ],
)
def test_a_mistake_is_a_sentence_with_an_exit_code(it: Product, words: str, code: int, said: str) -> None:
    ended = it.cli(*words.split())
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "Traceback" not in ended.err
    if code == 1:
        assert ended.err.startswith("gnomon: ") and ended.err.count("\n") == 1


def test_a_mistake_changed_nothing_and_the_rest_goes_on(it: Product) -> None:
    assert {row["run_id"] for row in it.rows("runs", "list", "etl")} - {"beside_another"} == {"nightly"}
    assert it.run("etl", "--run-id", "after_all_that")["state"] == "success"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"GNOMON__CORE__PARALELISM": "3"},
            "GNOMON__CORE__PARALELISM: there is no option [core] paralelism. Did you mean [core] parallelism?",
        ),
        (
            {"GNOMON__CORE__MAX_THREADS": "3"},
            "there is no option [core] max_threads. Did you mean [dag_processor] parsing_processes?",
        ),
        (
            {"GNOMON__CORE__PARALLELISM": "many"},
            "[core] parallelism (GNOMON__CORE__PARALLELISM) is 'many': write a whole number",
        ),
        (
            {"GNOMON__CORE__DEFAULT_TIMEZONE": "Mars/Olympus"},
            "is 'Mars/Olympus': there is no such time zone; write utc",
        ),
        ({"GNOMON__SCHEDULER__ALLOWED_RUN_ID_PATTERN": "["}, "is '[': it is not a regular expression"),
        (
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": "mysql://a@b/c"},
            "Gnomon works on SQLite and PostgreSQL, not on 'mysql'",
        ),
    ],
)
@pytest.mark.parametrize("command", ["dags list", "standalone --port 0"])
def test_a_wrong_option_in_the_environment_stops_a_command_before_it_does_anything(
    environ: dict[str, str], said: str, command: str, tmp_path: Path
) -> None:
    ended = _gnomon(tmp_path / "home", command, **environ)
    assert (ended.code, ended.out) == (1, "")
    assert said in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "home").exists()


def test_a_wrong_option_in_the_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "gnomon.toml").write_text("[core]\nparallelism = 3\n\n[scheduler]\nmisfire_grase = 5\n")
    ended = _gnomon(tmp_path, "standalone --port 0")
    assert (ended.code, ended.out) == (1, "")
    assert f"({tmp_path}/gnomon.toml, line 5)" in ended.err and "Did you mean [scheduler] misfire_grace?" in ended.err


@pytest.mark.parametrize(
    "command", ["dags list", "dags errors", "runs list a", "dags trigger a", "explain a", "pools list", "db check"]
)
def test_a_home_without_a_database_says_how_to_make_one_and_is_left_alone(command: str, tmp_path: Path) -> None:
    ended = _gnomon(tmp_path / "home", command)
    assert (ended.code, ended.out) == (1, "")
    assert "there is no Gnomon database" in ended.err and "gnomon standalone" in ended.err
    assert not (tmp_path / "home" / "gnomon.db").exists()


def test_a_busy_port_is_named_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        ended = _gnomon(tmp_path, f"standalone --port {port}")
    assert (ended.code, ended.out) == (1, "")
    assert (
        f"port {port} of 127.0.0.1 is in use by another program; choose another port with --port or GNOMON__API__PORT"
        in ended.err
    )


def test_a_second_standalone_on_the_same_home_names_the_first(it: Product) -> None:
    ended = it.cli("standalone", "--port", "0")
    assert (ended.code, ended.out) == (1, "")
    assert f"another gnomon standalone runs in {it.home}" in ended.err and "GNOMON_HOME" in ended.err
    assert it.run("etl", "--run-id", "beside_another")["state"] == "success"


def _gnomon(home: Path, command: str, **environ: str) -> Ended:
    done = run_command(*command.split(), env={**os.environ, "GNOMON_HOME": str(home), **environ})
    return Ended(done.returncode, done.stdout, done.stderr)
