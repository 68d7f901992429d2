"""Airflow's published example of watchers. Only the places of its files are changed, which are fixed names in /tmp in the example."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.airflow_examples import unpacked_examples

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
NAME = "example_asset_with_watchers"


def _payloads(made: Product) -> dict[str, object]:
    return {event["asset"]: event["extra"]["payload"] for event in made.rows("assets", "events")}


def test_each_watched_file_of_the_published_example_makes_a_run_also_after_a_restart(tmp_path: Path) -> None:
    text = (unpacked_examples(tmp_path / "published") / f"{NAME}.py").read_text()
    assert "/tmp/test" in text and "/tmp/region-flags" in text
    flags = tmp_path / "region-flags"
    flags.mkdir()
    with product(
        {f"{NAME}.py": text.replace("/tmp/", f"{tmp_path}/")}, {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False"}
    ) as made:
        made.has_dag(NAME)
        (tmp_path / "test").touch()
        (flags / "us.flag").touch()
        expected: dict[str, object] = {"example_asset": True, "region_us_flag": {"filepath": str(flags / "us.flag")}}
        made.until(lambda: _payloads(made) == expected, "two files became events")
        assert made.rows("runs", "list", NAME) == [], "the schedule names three assets"
        made.restart()
        (flags / "eu.flag").touch()
        made.until(lambda: bool(made.rows("runs", "list", NAME)), "the third file makes a run")
        (run,) = made.rows("runs", "list", NAME)
        assert made.ended(NAME, run["run_id"])["state"] == "success"
        assert "Hello world" in made.task_log(NAME, run["run_id"], "test_task")
        assert _payloads(made) == {**expected, "region_eu_flag": {"filepath": str(flags / "eu.flag")}}
        assert list(flags.iterdir()) == []
