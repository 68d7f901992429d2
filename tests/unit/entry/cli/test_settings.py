"""`gnomon pools`, `gnomon variables`, `gnomon config`, `gnomon db`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.config import load_config
from gnomon.testing import Play


def test_a_pool_is_made_changed_and_deleted(gnomon: Gnomon, home: Home) -> None:
    assert gnomon("pools", "set", "small", "3", "for the API", "--include-deferred") == (
        0,
        "pool small has 3 slots\n",
        "",
    )
    assert gnomon("pools", "set", "open", "--", "-1").out == "pool open has no limit\n"
    assert gnomon("pools", "set", "wide", "-1").out == "pool wide has no limit\n"
    rows = {row["pool"]: row for row in json.loads(gnomon("pools", "list", "-o", "json").out)}
    assert rows["small"] == {
        "pool": "small",
        "slots": 3,
        "used": 0,
        "include_deferred": True,
        "description": "for the API",
    }
    assert rows["open"]["slots"] == -1 and "default_pool" in rows
    assert gnomon("pools", "delete", "small") == (0, "deleted pool small\n", "")
    assert "small" not in gnomon("pools", "list").out


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("delete", "smal"), 1, "there is no pool 'smal'; did you mean 'small'?"),
        (("delete", "default_pool"), 1, "cannot be deleted"),
        (("set", "small", "many"), 2, "'many' is not an integer from -1 to 2147483647"),
        (("set", "small", "--", "-2"), 2, "'-2' is not an integer from -1 to 2147483647"),
        (("set", "small"), 2, "Missing argument"),
    ],
)
def test_pools_refuse_in_words(args: tuple[str, ...], code: int, said: str, gnomon: Gnomon, home: Home) -> None:
    gnomon("pools", "set", "small", "3")
    ended = gnomon("pools", *args)
    assert (ended.code, ended.out) == (code, "") and said in ended.err


def test_a_pool_in_use_is_not_deleted(gnomon: Gnomon, deployment: Deployment) -> None:
    gnomon("pools", "set", "small", "3")
    tasks = spec_of("a").tasks
    deployment.add(spec_of("a", tasks=(type(tasks[0])(task_id="only", pool="small"),)))
    deployment.plays["only"] = Play(run_s=1000)
    deployment.start()
    gnomon("dags", "trigger", "a")
    deployment.move()
    code, _, err = gnomon("pools", "delete", "small")
    assert code == 1 and "1 of its slots are in use" in err


def test_variables_are_set_read_and_deleted(gnomon: Gnomon, home: Home) -> None:
    assert gnomon("variables", "set", "path", "/data", "--description", "where") == (0, "set Variable path\n", "")
    assert gnomon("variables", "get", "path") == (0, "/data\n", "")
    assert json.loads(gnomon("variables", "list", "-o", "json").out) == [
        {"key": "path", "value": None, "description": "where"}
    ]
    assert yaml.safe_load(gnomon("variables", "list", "--show-values", "-o", "yaml").out)[0]["value"] == "/data"
    assert gnomon("variables", "delete", "path") == (0, "deleted Variable path\n", "")
    assert gnomon("variables", "list").out == "no Variables\n"


def test_a_missing_variable_is_exit_code_1_unless_there_is_a_default(gnomon: Gnomon, home: Home) -> None:
    gnomon("variables", "set", "path", "/data")
    assert gnomon("variables", "get", "pathh") == (
        1,
        "",
        "gnomon: there is no Variable 'pathh'; did you mean 'path'?\n",
    )
    assert gnomon("variables", "delete", "zzz").code == 1
    assert gnomon("variables", "get", "pathh", "--default", "none") == (0, "none\n", "")


def _config(
    environ: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], *args: str
) -> dict[str, dict[str, str]]:
    assert main(["config", "list", "-o", "json", *args], obj=Home(load_config(environ, tmp_path))) == 0
    return {row["option"]: row for row in json.loads(capsys.readouterr().out)}


def test_config_list_shows_each_value_and_where_it_came_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gnomon.toml").write_text("[core]\nparallelism = 7\n")
    environ = {"AIRFLOW__SCHEDULER__MAX_THREADS": "5", "GNOMON__API__PORT": "9"}
    rows = _config(environ, tmp_path, capsys)
    assert (rows["core.parallelism"]["value"], rows["core.parallelism"]["source"]) == (
        "7",
        f"{tmp_path / 'gnomon.toml'}, line 2",
    )
    assert rows["dag_processor.parsing_processes"]["value"] == "5"
    assert rows["dag_processor.parsing_processes"]["source"] == "AIRFLOW__SCHEDULER__MAX_THREADS"
    assert (rows["api.port"]["value"], rows["api.port"]["source"]) == ("9", "GNOMON__API__PORT")
    assert rows["core.max_active_tasks_per_dag"]["source"] == "default"


def test_config_list_hides_secrets_unless_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environ = {
        "GNOMON__DATABASE__SQL_ALCHEMY_CONN": "postgresql://me:geheim@host/db",
        "GNOMON__CORE__FERNET_KEY": "geheim",
    }
    rows = _config(environ, tmp_path, capsys)
    assert "geheim" not in json.dumps(rows)
    shown = _config(environ, tmp_path, capsys, "--show-values")
    assert shown["database.sql_alchemy_conn"]["value"] == "postgresql://me:geheim@host/db"
    assert shown["core.fernet_key"]["value"] == "geheim"


def test_config_of_one_section_and_one_option(gnomon: Gnomon) -> None:
    assert {
        row["option"].split(".")[0]
        for row in json.loads(gnomon("config", "list", "--section", "core", "-o", "json").out)
    } == {"core"}
    assert gnomon("config", "get-value", "core", "parallelism") == (0, "32\n", "")
    code, out, err = gnomon("config", "list", "--section", "cor")
    assert (code, out) == (1, "") and "there is no section 'cor'" in err and "core" in err
    code, _, err = gnomon("config", "get-value", "core", "paralelism")
    assert code == 1 and "Did you mean" in err and "parallelism" in err


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"GNOMON__CORE__PARALLELISM": "many"},
            "[core] parallelism (GNOMON__CORE__PARALLELISM) is 'many': write a whole number",
        ),
        ({"GNOMON__CORE__PARALELISM": "3"}, "there is no option [core] paralelism"),
    ],
)
def test_a_wrong_option_stops_every_command_with_one_sentence(
    environ: dict[str, str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from gnomon.ground.config import set_current_config

    for name, value in {**environ, "GNOMON_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    set_current_config(None)
    try:
        assert main(["dags", "list"]) == 1
    finally:
        set_current_config(None)
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err


def test_db_migrate_makes_the_database_and_check_finds_it(gnomon: Gnomon, empty_home: Home) -> None:
    assert gnomon("db", "check").code == 1
    assert gnomon("db", "migrate").out.endswith("is up to date\n")
    assert (empty_home.cfg.home / "gnomon.db").exists()
    assert gnomon("db", "migrate").code == 0
    code, out, _ = gnomon("db", "check")
    assert code == 0 and out.endswith("answers and is up to date\n")


def test_a_database_of_a_newer_gnomon_is_refused_with_the_remedy(gnomon: Gnomon, home: Home) -> None:
    import sqlite3

    with sqlite3.connect(home.cfg.home / "gnomon.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for command in (("db", "check"), ("db", "migrate"), ("dags", "list")):
        code, out, err = gnomon(*command)
        assert (code, out) == (1, "") and "install the newer Gnomon" in err
