"""`-o json|yaml|table` of every command that has it: stdout is the document and nothing else; exit codes are 0, 1 and 2."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from tests.acceptance.effects import World, options
from tests.patience import PATIENCE_S

from gnomon.entry.cli.commands import root
from gnomon.ground.config import set_current_config
from gnomon.model.instants import SECOND
from gnomon.storage.store import migrations
from gnomon.testing import Play

START = 1_772_355_600 * SECOND
FILE = """
with DAG("etl", schedule="@daily", start_date=datetime(2026, 1, 1), params={"n": 1}, tags=["ü"]):
    BaseOperator(task_id="extract", outlets=[Asset("table")]) >> BaseOperator(task_id="load")
with DAG("long"):
    BaseOperator(task_id="wait")
"""
TRIAL = """
print("printed at import")
from airflow.sdk import DAG, task
with DAG("tried"):
    @task
    def only():
        print("printed by a task")
    only()
"""
PLUGIN = """
from airflow.plugins_manager import AirflowPlugin
class Some(AirflowPlugin):
    name = "some"
"""
COMMANDS: dict[str, list[str]] = {
    "dags list": [],
    "dags show": ["etl"],
    "dags errors": ["--warnings"],
    "dags trigger": ["etl"],
    "runs list": ["etl"],
    "runs show": ["etl", "r"],
    "runs clear": ["etl", "r", "--dry-run"],
    "runs mark": ["long", "r", "--state", "success", "--dry-run"],
    "tasks list": ["etl"],
    "tasks states": ["etl", "r"],
    "tasks clear": ["etl", "r", "load", "--dry-run"],
    "tasks mark": ["etl", "r", "load", "--state", "success", "--dry-run"],
    "pools list": [],
    "variables list": ["--show-values"],
    "config list": [],
    "explain": ["etl"],
    "dags versions": ["etl"],
    "assets list": [],
    "assets show": ["table"],
    "assets events": ["table"],
    "assets materialize": ["table"],
    "backfill create": ["etl", "--from", "2026-01-05", "--to", "2026-01-06", "--dry-run"],
    "backfill list": ["etl"],
    "backfill show": ["1"],
    "grid": ["etl"],
    "xcom list": ["etl", "r"],
    "dags next-runs": ["etl"],
    "calendars list": [],
    "calendars show": ["office"],
    "plugins list": [],
    "connections list": [],
    "connections get": ["web"],
    "services": [],
}
IN_A_PROCESS = {"dags test", "tasks test", "tasks render"}
OF_THEIR_OWN = {
    "timetables preview",
    "timetables diff",
    "timetables check",
    "dependencies preview",
    "dependencies graph",
    "config lint",
    "state-store asset list",
    "state-store task list",
    "state-store clean",
    "tasks answer",
    "tasks waiting",
    "xcom get",
    "dags warnings",
    "runs wait",
    "top",
    "migrate check",
    "migrate import",
    "providers check",
    "providers install",
    "providers list",
    "audit",
    "tokens list",
    "users list",
    "users sessions",
    "alerts channels",
    "alerts history",
    "alerts list",
    "alerts rules",
    "alerts test",
    "db clean",
    "dialect status",
    "doctor",
    "tasks links",
    "quarantine list",
    "quarantine show",
    "slots audit",
    "failures",
    "baselines check",
    "baselines history",
    "baselines list",
    "baselines show",
    "forecast accuracy",
    "forecast day",
    "forecast load",
    "simulate",
}
"""Pictures and calendars are documents of theirs, lines of the audit log contain documents, nothing wrong is an empty one, and some need a world of their own: tests/unit/entry/cli, tests/unit/airflow_compat/migration."""
MAKES_A_RUN = {"dags trigger", "assets materialize"}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
RUN = [
    "dag_id",
    "run_id",
    "run_type",
    "state",
    "logical_date",
    "run_after",
    "data_interval_start",
    "data_interval_end",
    "start_date",
    "end_date",
    "conf",
    "reason",
    "partition_key",
    "partition_date",
]
TASK = [
    "dag_id",
    "run_id",
    "task_id",
    "map_index",
    "state",
    "try_number",
    "start_date",
    "end_date",
    "reason",
    "rendered_map_index",
    "executor",
]
READ: dict[str, Callable[[str], Any]] = {"json": json.loads, "yaml": yaml.safe_load}


@pytest.fixture(scope="module")
def it(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("documents")
    migrations.upgrade_schema(f"sqlite:///{folder}/empty.db")
    home = folder / "home"
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "some.py").write_text(PLUGIN)
    (home / "gnomon.toml").write_text('[calendars.office]\ndates = ["2026-12-24"]\nuntil = "2027-12-31"\n')
    world = World(options(home), folder / "empty.db", START)
    world.plays["load"] = Play(run_s=1.0, outcome="failed", reason="ValueError: no")
    world.file(FILE)
    world.plays["wait"] = Play(run_s=1e6)
    world.start()
    world.cli("variables", "set", "key", "two\nlines: ü")
    world.cli("connections", "add", "web", "--conn-uri", "generic://me:secret@host:80/schema?x=ü")
    world.cli("dags", "unpause", "etl")
    world.cli("dags", "trigger", "etl", "--run-id", "r", "--conf", '{"n": 2}')
    world.cli("dags", "unpause", "long")
    world.cli("dags", "trigger", "long", "--run-id", "r")
    world.cli("backfill", "create", "etl", "--from", "2026-02-05", "--to", "2026-02-06", "--no-wait")
    world.move(10)
    world.cli("xcom", "set", "etl", "r", "extract", "5")
    yield world
    world.close()
    set_current_config(None)


def _with_output(command: click.Command, words: tuple[str, ...]) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _with_output(child, (*words, name))
    elif any("--output" in parameter.opts for parameter in command.params):
        yield " ".join(words)


def test_every_command_with_an_output_is_tested_here() -> None:
    assert set(_with_output(root, ())) == COMMANDS.keys() | IN_A_PROCESS | OF_THEIR_OWN


def test_every_listing_has_an_output() -> None:
    groups = {name: root.get_command(click.Context(root), name) for name in root.list_commands(click.Context(root))}
    listings = {
        f"{name} list"
        for name, group in groups.items()
        if isinstance(group, click.Group) and "list" in group.list_commands(click.Context(group))
    }
    assert listings <= COMMANDS.keys() | OF_THEIR_OWN


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize("command", COMMANDS)
def test_stdout_is_the_document_and_nothing_else(it: World, command: str, form: str) -> None:
    it.move(1)  # a run by hand is named by its moment
    ended = it.cli(*command.split(), *COMMANDS[command], "-o", form)
    assert ended.code == 0, ended.err
    found = READ[form](ended.out)
    assert isinstance(found, (list, dict)) and found
    again = (
        json.dumps(found, indent=2, ensure_ascii=False) + "\n"
        if form == "json"
        else yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=sys.maxsize)
    )
    assert ended.out == again


@pytest.mark.parametrize("command", COMMANDS)
def test_both_forms_say_the_same_and_the_table_says_it_to_the_eye(it: World, command: str) -> None:
    if command not in MAKES_A_RUN:
        said = [READ[form](it.cli(*command.split(), *COMMANDS[command], "-o", form).out) for form in READ]
        assert said[0] == said[1]
    it.move(1)
    shown = it.cli(*command.split(), *COMMANDS[command], "-o", "table")
    assert shown.code == 0 and shown.out.strip() and not shown.out.startswith(("{", "["))
    without_ids = re.sub(r"\S+__\S+", "", shown.out)
    assert not re.search(r"\.000000\+00:00", without_ids), "instants are short for the eye"


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if COMMANDS[command] and COMMANDS[command][0] == "etl"]
)
@pytest.mark.parametrize("form", ["json", "yaml", "table"])
def test_what_does_not_exist_is_code_1_with_nothing_on_stdout(it: World, command: str, form: str) -> None:
    ended = it.cli(*command.split(), "nowhere", *COMMANDS[command][1:], "-o", form)
    assert (ended.code, ended.out) == (1, "")
    assert "there is no DAG 'nowhere'" in ended.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_that_there_is_not_is_code_2_with_nothing_on_stdout(it: World, command: str) -> None:
    ended = it.cli(*command.split(), *COMMANDS[command], "-o", "xml")
    assert (ended.code, ended.out) == (2, "")


def test_records_have_exactly_the_fields_of_the_interface(it: World) -> None:
    runs = json.loads(it.cli("runs", "list", "etl", "-o", "json").out)
    states = json.loads(it.cli("tasks", "states", "etl", "r", "-o", "json").out)
    assert [list(row) for row in runs] == [RUN] * len(runs)
    assert [list(row) for row in states] == [TASK] * 2
    (run,) = (row for row in runs if row["run_id"] == "r")
    assert (run["run_type"], run["state"], run["conf"]) == ("manual", "failed", {"n": 2})
    instants = [
        run["run_after"],
        run["start_date"],
        run["end_date"],
        *(row[name] for row in states for name in ("start_date", "end_date")),
    ]
    assert all(INSTANT.fullmatch(instant) for instant in instants)
    assert [(row["task_id"], row["map_index"], row["state"], row["try_number"]) for row in states] == [
        ("extract", -1, "success", 1),
        ("load", -1, "failed", 1),
    ]


@pytest.mark.parametrize("form", ["json", "yaml", "table"])
def test_a_trial_prints_its_document_whatever_file_and_tasks_print(form: str, tmp_path: Path) -> None:
    file = tmp_path / "tried.py"
    file.write_text(TRIAL)
    done = subprocess.run(
        [sys.executable, "-m", "gnomon", "dags", "test", str(file), "-o", form],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, "GNOMON_HOME": str(tmp_path / "home")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if form == "table":
        assert "success" in done.stdout
        return
    found = READ[form](done.stdout)
    assert list(found) == ["run_id", "state", "tasks"] and found["state"] == "success"
    assert [list(row) for row in found["tasks"]] == [
        ["task_id", "map_index", "state", "try_number", "start_date", "end_date"]
    ]
