"""What is accepted and does not act is named with its line by `dags list`, `dags show` and `dags errors --warnings`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.effects import World, options

from gnomon.ground.config import set_current_config
from gnomon.model.instants import SECOND
from gnomon.storage.store import migrations

START = 1_767_225_600 * SECOND
FLOW = """
with DAG("flow", schedule=None, access_control={"role": {"can_read"}}, allowed_run_types=["backfill", "manual"]) as dag:
    with TaskGroup("g", tooltip="hi"):
        BaseOperator(task_id="t", resources={"cpus": 2}, run_as_user="me")
with DAG("planned", schedule="@daily", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), allowed_run_types=["scheduled"]):
    BaseOperator(task_id="t")
"""


def test_listings_name_arguments_without_effect_and_runs_of_other_types_are_refused(tmp_path: Path) -> None:
    migrations.upgrade_schema(f"sqlite:///{tmp_path / 'empty.db'}")
    world = World(options(tmp_path / "home"), tmp_path / "empty.db", START)
    try:
        world.file(FLOW)
        names = ("access_control=", "tooltip=", "resources=", "run_as_user=")
        shown = json.loads(world.cli("dags", "show", "flow", "-o", "json").out)["warnings"]
        assert [name for name in names if any(name in text and "flow.py:" in text for text in shown)] == list(names)
        listed = {row["dag_id"]: row["warnings"] for row in json.loads(world.cli("dags", "list", "-o", "json").out)}
        assert listed == {"flow": shown, "planned": []}
        told = world.cli("dags", "list").err.splitlines()
        assert len(told) == 4 and told[-1] == "flow: 1 more warning; `gnomon dags show flow` shows all"
        assert all(name in world.cli("dags", "errors", "--warnings").out for name in names)
        assert world.cli("dags", "trigger", "flow").code == 0
        refused = world.cli("dags", "trigger", "planned")
        assert refused.code == 1 and "allows no manual runs: its allowed_run_types are scheduled" in refused.err
    finally:
        world.close()
        set_current_config(None)
