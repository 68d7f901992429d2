"""What hooks report is collected where a plugin reads it, and only there."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.author_code.loading import hook_lineage
from gnomon.author_code.loading.hook_lineage import (
    HookLineage,
    HookLineageCollector,
    HookLineageReader,
    NoOpCollector,
    get_hook_lineage_collector,
)
from gnomon.authoring.sdk import Asset, BaseHook
from gnomon.ground.config import current_config, load_config, set_current_config

PLUGIN = """
from airflow.lineage.hook import HookLineageReader
from airflow.plugins_manager import AirflowPlugin
class Reads(AirflowPlugin):
    name = "reads"
    hook_lineage_readers = [HookLineageReader]
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    before = current_config()
    set_current_config(
        load_config(
            {"GNOMON__LINEAGE__MAX_ASSETS_PER_COLLECTOR": "2", "GNOMON__LINEAGE__MAX_EXTRAS_PER_COLLECTOR": "2"},
            tmp_path,
        )
    )
    hook_lineage.forget_lineage()
    yield tmp_path
    hook_lineage.forget_lineage()
    set_current_config(before)


def test_an_asset_counts_once_for_each_hook_and_extra() -> None:
    collector, one, other = HookLineageCollector(), BaseHook(), BaseHook()
    collector.add_input_asset(one, uri="s3://b/k", asset_extra={"a": 1})
    collector.add_input_asset(one, uri="s3://b/k", asset_extra={"a": 1})
    collector.add_input_asset(other, uri="s3://b/k", asset_extra={"a": 1})
    collector.add_output_asset(one, name="table", group="g")
    collector.add_extra(one, "query", "select 1")
    found = collector.collected_assets
    assert collector.has_collected
    assert [(info.asset.uri, info.asset.extra, info.count, info.context) for info in found.inputs] == [
        ("s3://b/k", {"a": 1}, 2, one),
        ("s3://b/k", {"a": 1}, 1, other),
    ]
    assert [(info.asset, info.count) for info in found.outputs] == [(Asset(name="table", group="g"), 1)]
    assert [(info.key, info.value, info.count) for info in found.extra] == [("query", "select 1", 1)]


def test_more_than_the_limit_is_not_collected_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    collector, hook = HookLineageCollector(), BaseHook()
    for number in range(4):
        collector.add_input_asset(hook, uri=f"s3://b/{number}")
        collector.add_extra(hook, "key", number + 1)
    found = collector.collected_assets
    assert (len(found.inputs), len(found.extra)) == (2, 2)
    assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == [
        "The hooks of this task have reported 2 inputs; further ones are not collected ([lineage] max_..._per_collector).",
        "The hooks of this task have reported 2 extras; further ones are not collected ([lineage] max_..._per_collector).",
    ]


def test_an_asset_without_uri_and_name_comes_from_the_provider_of_its_scheme() -> None:
    collector, hook = HookLineageCollector(), BaseHook()
    collector._asset_factories = {
        "my": lambda table, extra: Asset(f"my://{table}", extra=extra),
        "bad": lambda **_: 1 / 0,
    }
    for scheme in ("my", "bad", "unknown", None):
        collector.add_input_asset(hook, scheme=scheme, asset_kwargs={"table": "t"})
    collector.add_input_asset(hook, uri="")
    collector.add_extra(hook, "", 1)
    assert [info.asset.uri for info in collector.collected_assets.inputs] == ["my://t/"]
    assert collector.collected_assets.extra == []


def test_without_a_plugin_that_reads_lineage_nothing_is_collected() -> None:
    collector = get_hook_lineage_collector()
    collector.add_input_asset(BaseHook(), uri="s3://b/k")
    collector.add_extra(BaseHook(), "key", 1)
    assert (
        isinstance(collector, NoOpCollector)
        and collector.collected_assets == HookLineage()
        and not collector.has_collected
    )


def test_a_plugin_that_reads_lineage_has_it_collected(home: Path) -> None:
    (home / "plugins").mkdir()
    (home / "plugins" / "lineage_reads.py").write_text(PLUGIN)
    get_hook_lineage_collector().add_output_asset(BaseHook(), uri="s3://b/k")
    assert [info.asset.uri for info in HookLineageReader().retrieve_hook_lineage().outputs] == ["s3://b/k"]
    hook_lineage.forget_lineage()
    assert not get_hook_lineage_collector().has_collected
