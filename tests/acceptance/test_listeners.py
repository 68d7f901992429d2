"""Listeners of a plugin in a running product: what they are told about files, assets, tasks and watchers, and that none can do harm."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.acceptance.product import product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")

PLUGIN = """
import json, sys
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

def note(*words):
    with open({notes!r}, "a") as file:
        file.write(json.dumps(words) + "\\n")

@hookimpl
def on_asset_created(asset):
    note("created", asset.name, asset.uri)

@hookimpl
def on_asset_alias_created(asset_alias):
    note("alias", asset_alias.name)

@hookimpl
def on_asset_changed(asset):
    note("changed", asset.name)
    raise SystemExit("a listener that fails")

@hookimpl
def on_asset_event_emitted(asset_event):
    event = asset_event
    note("emitted", event.asset.name, event.extra, event.source_task_id, [alias.name for alias in event.source_aliases])

@hookimpl
def on_new_dag_import_error(filename, stacktrace):
    note("new error", filename.rpartition("/")[2], "SyntaxError" in stacktrace)

@hookimpl
def on_existing_dag_import_error(filename, stacktrace):
    note("existing error", filename.rpartition("/")[2])

@hookimpl
def on_starting(component):
    note("starting", type(component).__name__)

@hookimpl
def before_stopping(component):
    note("stopping", type(component).__name__)

@hookimpl
def on_dag_run_success(dag_run):
    dag = dag_run.get_dag()
    note("run", dag.dag_id, dag.task_ids, dag_run.dag is dag)

class Noted(AirflowPlugin):
    name = "noted"
    listeners = [sys.modules[__name__]]
"""
BAD = "from airflow.sdk import DAG\ndef f(:\n"
FILE = """
from airflow.providers.standard.triggers.file import FileDeleteTrigger
from airflow.sdk import DAG, Asset, AssetAlias, AssetWatcher, Metadata, task

orders = Asset("orders", uri="s3://b/orders")
watched = Asset("watched", watchers=[AssetWatcher("w", FileDeleteTrigger({box!r}, poke_interval=0.2))])

with DAG("load", schedule=None, is_paused_upon_creation=False):
    @task(outlets=[orders, AssetAlias("daily")])
    def write():
        yield Metadata(orders, {{"rows": 5}})
    write()

with DAG("watching", schedule=watched, is_paused_upon_creation=False):
    pass
"""


def test_listeners_are_told_of_files_assets_events_and_tasks(tmp_path: Path) -> None:
    notes, box = tmp_path / "notes", tmp_path / "box"
    files = {
        "../plugins/noted.py": PLUGIN.format(notes=str(notes)),
        "load.py": FILE.format(box=str(box)),
        "bad.py": BAD,
    }
    with product(files) as made:

        def seen() -> list[list[object]]:
            return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []

        made.has_dag("load")
        made.until(lambda: ["new error", "bad.py", True] in seen(), "the import error was told")
        made.write("bad.py", BAD + "# changed\n")
        made.until(lambda: ["existing error", "bad.py"] in seen(), "the second import error was told")
        made.until(lambda: ["alias", "daily"] in seen(), "the alias was told")
        assert made.run("load")["state"] == "success", "a listener that fails changes no outcome"
        made.until(lambda: ["run", "load", ["write"], True] in seen(), "the listener of the run has the DAG")
        box.touch()
        made.until(
            lambda: ["emitted", "watched", {"from_trigger": True, "payload": True}, None, []] in seen(),
            "the event of the watcher was told",
        )
        found = seen()
        assert [note for note in found if note[0] == "created"] == [
            ["created", "orders", "s3://b/orders"],
            ["created", "watched", "watched"],
        ]
        of_task = [
            note for note in found if note[0] in ("starting", "stopping", "emitted", "changed") and note[1] != "watched"
        ]
        assert of_task[:4] == [
            ["starting", "TaskRunnerMarker"],
            ["changed", "orders"],
            ["emitted", "orders", {"rows": 5}, "write", []],
            ["stopping", "TaskRunnerMarker"],
        ]
        assert of_task[4] == ["starting", "TaskRunnerMarker"], "the process of the listener of the run"
        assert ["changed", "watched"] in found
