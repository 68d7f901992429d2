"""What listeners are told about parsed files, and the process that calls them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from msgspec import structs
from tests.conformance.storeworld import World, parsed, spec
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.model.assets import AliasKey, AssetDeclaration
from gnomon.model.spec import ParsedFile, ParseFailure
from gnomon.services.dagfiles import listener_process
from gnomon.services.dagfiles.listener_findings import find_calls, read_known
from gnomon.services.dagfiles.listener_process import ListenerCall, ListenerProcess
from gnomon.storage.store import open_database

PLUGIN = """
import json, sys, time
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

@hookimpl
def on_new_dag_import_error(filename, stacktrace):
    if filename == "hangs":
        time.sleep(3600)
    if filename == "dies":
        import os
        os._exit(7)
    with open({notes!r}, "a") as file:
        file.write(json.dumps([filename, stacktrace]) + "\\n")
    if filename == "raises":
        raise ValueError("a listener that fails")

class Noted(AirflowPlugin):
    name = "noted"
    listeners = [sys.modules[__name__]]
"""


def calls_of(world: World, *files: ParsedFile) -> list[tuple[str, dict[str, str]]]:
    """The calls for these files, which are recorded then."""
    with world.db.read() as tx:
        known = read_known(tx)
    world.record(*files)
    return [(call.hook, call.arguments) for call in find_calls(known, files)]


def test_each_change_is_told_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    db = open_database(url, cipher=CIPHER)
    world = World(db)
    both = structs.replace(
        spec("d", ["t"]), asset_condition=AliasKey("daily"), assets=(AssetDeclaration(name="a", uri="s3://a"),)
    )
    failure = ParseFailure(kind="syntax", message="it is wrong", traceback="SyntaxError: it is wrong")
    file, bad = parsed("/dags/d.py", both), parsed("/dags/bad.py", failures=[failure])
    told = {"filename": "/dags/bad.py", "stacktrace": "SyntaxError: it is wrong"}
    assert calls_of(world, file, bad) == [
        ("on_asset_created", {"name": "a", "uri": "s3://a"}),
        ("on_asset_alias_created", {"name": "daily"}),
        ("on_new_dag_import_error", told),
    ]
    assert calls_of(world, file, bad) == [("on_existing_dag_import_error", told)]
    assert calls_of(world, parsed("/dags/bad.py", input_hash="2")) == []
    assert calls_of(world, bad) == [("on_new_dag_import_error", told)]
    db.close()


def test_a_listener_that_fails_dies_or_hangs_keeps_no_other_from_being_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(listener_process, "CALLS_PER_PROCESS", 1)
    monkeypatch.setattr(listener_process, "CALL_S", 0.0)
    monkeypatch.setattr(listener_process, "START_S", 10.0)
    notes = tmp_path / "notes"
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "noted.py").write_text(PLUGIN.format(notes=str(notes)))
    process = ListenerProcess(build_host_environment(load_config({}, tmp_path), {}), SystemClock(), lambda: True)
    for name in ("raises", "dies", "hangs", "last"):
        process.add(ListenerCall("on_new_dag_import_error", {"filename": name, "stacktrace": "trace"}))
    ends_at = time.monotonic() + PATIENCE_S
    while process.advance() is not None:
        assert time.monotonic() < ends_at
        time.sleep(0.02)
    process.close()
    assert [json.loads(line)[0] for line in notes.read_text().splitlines()] == ["raises", "last"]
    told = capfd.readouterr()
    assert "a listener that fails" in told.out + told.err
