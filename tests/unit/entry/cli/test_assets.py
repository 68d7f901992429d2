"""`gnomon assets` and `gnomon explain`, with a scheduler that creates the runs of asset events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition, AssetDeclaration, AssetEmission, AssetKey
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.testing import Play

ORDERS, RATES = AssetKey("orders", "s3://b/orders"), AssetKey("rates", "rates")
HOUR = 3_600_000_000


def producer(dag_id: str = "load", asset: AssetKey = ORDERS, **fields: Any) -> DagSpec:
    tasks = (TaskSpec(task_id="write", outlets=(asset,), runs_code=False),)
    return spec_of(
        dag_id,
        assets=(AssetDeclaration(name=asset.name, uri=asset.uri, extra={"team": "x"}),),
        **{"tasks": tasks, **fields},
    )


BOTH = AllOf((ORDERS, RATES))


def consumer(dag_id: str = "report", condition: AssetCondition = BOTH, **fields: Any) -> DagSpec:
    return spec_of(dag_id, **{"tasks": (TaskSpec(task_id="read"),), "asset_condition": condition, **fields})


def rows(gnomon: Gnomon, *words: str) -> Any:
    code, out, err = gnomon(*words, "-o", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def runs(gnomon: Gnomon, dag_id: str) -> list[tuple[str, str]]:
    return [(row["run_type"], row["state"]) for row in rows(gnomon, "runs", "list", dag_id)]


def consumed(gnomon: Gnomon, dag_id: str) -> list[int]:
    """How many events each run of the DAG consumed, newest first."""
    events = rows(gnomon, "assets", "events")
    return [
        sum(f"{dag_id} {row['run_id']}" in event["consumed_by"] for event in events)
        for row in rows(gnomon, "runs", "list", dag_id)
    ]


def write(gnomon: Gnomon, deployment: Deployment, dag_id: str, times: int = 1, seconds: float = 5) -> None:
    for _ in range(times):
        assert gnomon("dags", "trigger", dag_id).code == 0
        deployment.move(seconds)


def test_a_run_is_created_when_every_asset_has_an_event(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer(), producer("fetch", RATES), consumer())
    deployment.start()
    write(gnomon, deployment, "load", 2)
    assert runs(gnomon, "report") == []
    code, out, _ = gnomon("explain", "report")
    assert code == 0
    assert "events that no run has consumed: 2 of asset orders (s3://b/orders)" in out
    assert "its schedule by assets still lacks an event of: asset rates" in out
    assert "runs are created by asset events, and manually" in out
    write(gnomon, deployment, "fetch")
    assert runs(gnomon, "report") == [("asset_triggered", "success")]
    assert consumed(gnomon, "report") == [3]


def test_a_condition_that_any_event_meets_says_that_one_is_enough(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(consumer(condition=AnyOf((ORDERS, RATES))))
    deployment.start()
    out = gnomon("explain", "report").out
    assert "lacks an event, and one of these is enough: asset orders (s3://b/orders), asset rates" in out


def test_events_wait_while_the_consumer_is_paused_and_make_one_run(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer(), consumer(condition=ORDERS))
    deployment.start()
    assert gnomon("dags", "pause", "report").code == 0
    write(gnomon, deployment, "load", 3)
    assert runs(gnomon, "report") == []
    assert (
        "its schedule by assets is met: a run is created as soon as the DAG may have another one"
        in gnomon("explain", "report").out
    )
    assert gnomon("dags", "unpause", "report").code == 0
    deployment.move()
    assert consumed(gnomon, "report") == [3]


def test_events_beyond_max_active_runs_share_the_next_run(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer(), consumer(condition=ORDERS, max_active_runs=1))
    deployment.plays["read"] = Play(run_s=60.0)
    deployment.start()
    write(gnomon, deployment, "load", 4)
    assert runs(gnomon, "report") == [("asset_triggered", "running")]
    deployment.move(120)
    assert consumed(gnomon, "report") == [3, 1]


def test_a_dag_with_times_and_assets_has_runs_of_both(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer(), consumer(condition=ORDERS, timetable=HOURLY, start_at=NOW, catchup=True))
    deployment.start()
    write(gnomon, deployment, "load")
    deployment.move(3600)
    assert sorted({run_type for run_type, _ in runs(gnomon, "report")}) == ["asset_triggered", "scheduled"]


def test_the_list_names_producers_and_consumers_and_hides_what_no_file_names(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(producer(), consumer(condition=ORDERS))
    deployment.start()
    write(gnomon, deployment, "load")
    (row,) = rows(gnomon, "assets", "list")
    assert (row["name"], row["uri"], row["producers"], row["consumers"], row["events"]) == (
        "orders",
        "s3://b/orders",
        ["load.write"],
        ["report"],
        1,
    )
    deployment.add(spec_of("load"), spec_of("report"), version="2")
    assert rows(gnomon, "assets", "list") == []
    (row,) = rows(gnomon, "assets", "list", "--all")
    assert (row["active"], row["events"]) == (False, 1)
    assert gnomon("assets", "show", "orders").err == "no file names this asset any more\n"


def test_show_takes_a_name_or_a_uri_and_suggests_near_ones(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer())
    deployment.start()
    write(gnomon, deployment, "load")
    shown = rows(gnomon, "assets", "show", "s3://b/orders")
    assert (shown["name"], shown["extra"], len(shown["newest_events"])) == ("orders", {"team": "x"}, 1)
    assert "load.write" in gnomon("assets", "show", "orders").out
    for command in ("show", "events", "materialize"):
        ended = gnomon("assets", command, "order")
        assert ended.code == 1
        assert "there is no asset 'order'; did you mean 'orders'?" in ended.err


def test_materialize_runs_the_dag_that_writes_the_asset(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(producer(), consumer(condition=ORDERS))
    deployment.start()
    run = rows(gnomon, "assets", "materialize", "orders")
    assert run["run_id"].startswith("asset_materialization__2026-03-01T09:00:00")
    deployment.move()
    assert runs(gnomon, "load") == [("asset_materialization", "success")]
    assert runs(gnomon, "report") == [("asset_triggered", "success")]
    assert rows(gnomon, "assets", "events", "orders")[0]["source_run_id"] == run["run_id"]


@pytest.mark.parametrize(
    ("producers", "words"),
    [
        ((), "no task has asset 'orders' as outlet, so no run can write it"),
        (
            ("load", "again"),
            "several DAGs write asset 'orders': again, load; trigger one of them: gnomon dags trigger again",
        ),
    ],
)
def test_materialize_needs_exactly_one_dag(
    gnomon: Gnomon, deployment: Deployment, producers: tuple[str, ...], words: str
) -> None:
    declared = (AssetDeclaration(name="orders", uri="s3://b/orders"),)
    deployment.add(*(producer(dag_id) for dag_id in producers), consumer(condition=ORDERS, assets=declared))
    ended = gnomon("assets", "materialize", "orders")
    assert ended.code == 1
    assert words in ended.err


def test_an_alias_triggers_its_consumers_and_is_listed(gnomon: Gnomon, deployment: Deployment) -> None:
    tasks = (TaskSpec(task_id="write", outlets=(AliasKey("daily"),)),)
    deployment.add(spec_of("load", tasks=tasks), consumer(condition=AliasKey("daily")))
    deployment.plays["write"] = Play(
        run_s=1.0, asset_events=(AssetEmission(asset=RATES, extra={"n": 1}, aliases=("daily",)),)
    )
    deployment.start()
    write(gnomon, deployment, "load")
    assert runs(gnomon, "report") == [("asset_triggered", "success")]
    assert rows(gnomon, "assets", "list", "--alias") == [
        {"name": "daily", "producers": ["load.write"], "consumers": ["report"]}
    ]
    (event,) = rows(gnomon, "assets", "events")
    assert (event["asset"], event["aliases"], event["extra"]) == ("rates", ["daily"], {"n": 1})
    (listed,) = rows(gnomon, "assets", "list")
    assert (listed["name"], listed["active"], listed["added_by"]) == ("rates", False, ["daily by load.write"])
    assert (
        gnomon("assets", "show", "rates").err
        == "no file names this asset; tasks add it through alias daily by load.write\n"
    )
    deployment.add()
    assert gnomon("assets", "show", "rates").err == "no file names this asset any more\n"


def test_a_circle_of_dags_is_named(gnomon: Gnomon, deployment: Deployment) -> None:
    back = (TaskSpec(task_id="read", outlets=(RATES,), runs_code=False),)
    deployment.add(producer(asset_condition=RATES), consumer(condition=ORDERS, tasks=back))
    sentence = "these DAGs schedule one another by assets, so that one run can create the next without end: load -> report -> load"
    assert sentence in gnomon("assets", "list").err
    assert sentence in gnomon("explain", "report").out
    (warning,) = rows(gnomon, "dags", "warnings")
    assert (warning["subject"], warning["warning"]) == (
        "load",
        f"{sentence}; remove an asset from the outlets or from the schedule of one of them, or pause one",
    )
    assert [row["subject"] for row in rows(gnomon, "dags", "warnings", "report")] == ["report"]
