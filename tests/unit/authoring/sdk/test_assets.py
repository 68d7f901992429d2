"""Assets as authors write them: names, URIs, conditions, what the spec keeps of them, and mistakes."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.operators.triggers import FileDeleteTrigger, FileTrigger
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.assets import (
    Asset,
    AssetAccessControl,
    AssetAlias,
    AssetAll,
    AssetAny,
    AssetWatcher,
    Dataset,
    Model,
)
from gnomon.authoring.sdk.assets.asset import AssetAliasUniqueKey, AssetUniqueKey
from gnomon.authoring.sdk.assets.asset_schedules import (
    AssetOrTimeSchedule,
    AssetTriggeredTimetable,
    DatasetOrTimeSchedule,
)
from gnomon.authoring.sdk.dags.asset_decorators import asset
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.task_decorators import task
from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetKey, AssetRefKey
from gnomon.model.errors.authoring import AirflowTimetableInvalid, DeferralRefused
from gnomon.model.sentences import render
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.timetables import CronTriggerTimetable, NullTimetable

HERE = "test_assets.py"
NUMBER: Any = 5


def spec_of(dag: DAG) -> Any:
    return build_dag_spec(dag, HERE).spec


def test_name_and_uri_default_to_each_other() -> None:
    assert (Asset("orders").name, Asset("orders").uri) == ("orders", "orders")
    assert (Asset(uri="s3://b/k").name, Asset(uri="s3://b/k").uri) == ("s3://b/k", "s3://b/k")
    assert (Asset("n", "s3://b/k").name, Dataset("s3://b/k").uri, Model("m").group, Dataset("d").group) == (
        "n",
        "s3://b/k",
        "model",
        "dataset",
    )
    assert os.fspath(Asset("n", "file:///data")) == "file:///data"


@pytest.mark.parametrize(
    ("given", "uri"),
    [
        ("S3://Bucket/key/", "s3://Bucket/key"),
        ("s3://bucket", "s3://bucket/"),
        ("postgres://host/db?b=2&a=1#part", "postgres://host/db?a=1&b=2"),
        ("x-own://Any//thing/", "x-own://Any//thing/"),
        ("a name with: colon", "a name with: colon"),
        ("folder/file", "folder/file"),
    ],
)
def test_a_uri_has_one_form(given: str, uri: str) -> None:
    assert Asset("n", given).uri == uri


def test_a_password_is_dropped_with_a_warning_that_names_the_line() -> None:
    with pytest.warns(UserWarning, match=r"test_assets.py:\d+\) contains a password"):
        assert Asset("n", "postgres://ada:secret@host/db").uri == "postgres://host/db"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Asset("n", "airflow://x"), r"test_assets.py:\d+\): the scheme 'airflow' is reserved"),
        (lambda: Asset("n", "s3://[bad"), r"Asset uri 's3://\[bad' \(.*test_assets.py:\d+\) is not valid"),
        (lambda: Asset(""), "Asset name '' .* must not be empty"),
        (lambda: Asset("  "), "must not be empty or blank"),
        (lambda: Asset("x" * 1501), "has 1501 characters; it may have 1500"),
        (lambda: Asset("self"), "is reserved for functions of @asset"),
        (lambda: Asset(NUMBER), "must be a text, not 5"),
        (lambda: Asset("a\0b"), "cannot store"),
        (lambda: AssetAlias(""), "AssetAlias name '' .* must not be empty"),
    ],
)
def test_a_wrong_text_is_refused_with_its_line(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_neither_name_nor_uri_or_both_in_a_reference_is_refused() -> None:
    with pytest.raises(TypeError, match="needs a name or a uri"):
        Asset()
    with pytest.raises(TypeError, match="exactly one of name= and uri="):
        Asset.ref(name="a", uri="b")
    with pytest.raises(TypeError, match="takes assets, not 5"):
        AssetAll(Asset("a"), 5)  # type: ignore[arg-type]


def test_assets_are_equal_by_all_that_the_author_gave() -> None:
    assert Asset("a") == Asset("a") != Asset("a", extra={"x": 1})
    assert len({Asset("a"), Asset("a"), AssetAlias("a"), AssetAlias("a")}) == 2
    assert Asset.ref(name="a") == Asset.ref(name="a") != Asset.ref(uri="a")
    assert (Asset("a") & Asset("b") & Asset("c")).objects == (Asset("a"), Asset("b"), Asset("c"))


def test_conditions_become_plain_data() -> None:
    a, b = Asset("a"), Asset("b", "s3://b/k")
    condition = spec_of(DAG("d", schedule=(a & (b | AssetAlias("n") | Asset.ref(name="r"))))).asset_condition
    assert condition == AllOf(
        (AssetKey("a", "a"), AnyOf((AssetKey("b", "s3://b/k"), AliasKey("n"), AssetRefKey(name="r"))))
    )
    assert spec_of(DAG("d", schedule=[a, b])).asset_condition == AllOf((AssetKey("a", "a"), AssetKey("b", "s3://b/k")))


def test_the_spec_has_outlets_inlets_and_declarations_with_their_line() -> None:
    with DAG("d", schedule=None) as dag:
        BaseOperator(
            task_id="t",
            outlets=[Asset("a", extra={"x": 1}), AssetAlias("n"), "free text"],
            inlets=Asset.ref(uri="s3://b/k"),
        )
    spec = spec_of(dag)
    assert spec.tasks[0].outlets == (AssetKey("a", "a"), AliasKey("n"))
    assert spec.tasks[0].inlets == (AssetRefKey(uri="s3://b/k"),)
    (declared,) = spec.assets
    assert (declared.name, declared.extra) == ("a", {"x": 1})
    assert "test_assets.py:" in declared.place


def test_the_spec_has_the_groups_of_aliases_but_for_the_default() -> None:
    with DAG("d", schedule=AssetAny(AssetAlias("scheduled", group="feeds"), Asset("a"))) as dag:
        BaseOperator(task_id="t", outlets=[AssetAlias("plain"), AssetAlias("own", group="mine")])
    assert spec_of(dag).alias_groups == {"scheduled": "feeds", "own": "mine"}


def test_a_moved_line_is_no_new_version() -> None:
    def parsed(lines: int) -> Any:
        source = "\n" * lines + "dag = DAG('d', schedule=[Asset('a')])"
        scope: dict[str, Any] = {"DAG": DAG, "Asset": Asset}
        exec(compile(source, "/dags/moved.py", "exec"), scope)
        return build_dag_spec(scope["dag"], HERE)

    before, after = parsed(1), parsed(5)
    assert before.spec.assets[0].place != after.spec.assets[0].place
    assert before.spec_hash == after.spec_hash


def test_two_assets_of_one_name_with_another_uri_are_an_error_with_both_lines() -> None:
    dag = DAG("d", schedule=[Asset("a", "s3://one"), Asset("a", "s3://two")])
    with pytest.raises(
        ValueError, match=r"two assets have the name 'a'.*'s3://one/' \(.*:\d+\).*'s3://two/' \(.*:\d+\)"
    ):
        build_dag_spec(dag, HERE)


def test_a_task_that_writes_the_schedule_of_its_own_dag_is_a_warning_by_name() -> None:
    with DAG("d", schedule=[Asset("a")]) as dag:
        BaseOperator(task_id="t", outlets=[Asset("a")])
    build_dag_spec(dag, HERE)
    (warning,) = dag.warnings
    assert "task 't'" in warning
    assert "writes asset a, by which the DAG is scheduled" in warning


def test_teams_warn_by_name() -> None:
    dag = DAG("d", schedule=[Asset("t", access_control=AssetAccessControl(producer_teams=["a"]))])
    build_dag_spec(dag, HERE)
    assert "Gnomon has no teams" in dag.warnings[0]


def test_watchers_of_a_schedule_become_part_of_the_spec_once_for_equal_triggers() -> None:

    def watch(path: str) -> AssetWatcher:
        return AssetWatcher("name", FileDeleteTrigger(path))

    dag = DAG(
        "d",
        schedule=Asset("a", watchers=[watch("/tmp/x"), watch("/tmp/x")])
        | Asset("b", watchers=[watch("/tmp/x"), watch("/tmp/y")]),
    )
    watchers = build_dag_spec(dag, HERE, load_class).spec.asset_watchers
    assert sorted((watcher.asset.name, json.loads(watcher.kwargs)["filepath"]) for watcher in watchers) == [
        ("a", "/tmp/x"),
        ("b", "/tmp/x"),
        ("b", "/tmp/y"),
    ]
    assert len({watcher.identity for watcher in watchers}) == 2
    assert not dag.warnings


def test_a_watcher_takes_an_event_trigger_and_a_name() -> None:

    with pytest.raises(
        ValueError, match=r"AssetWatcher 'w'.*must be derived from BaseEventTrigger, and <.*FileTrigger"
    ):
        AssetWatcher("w", FileTrigger("/tmp/x"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"AssetWatcher name ' '.*must not be empty or blank"):
        AssetWatcher(" ", FileDeleteTrigger("/tmp/x"))
    with pytest.raises(TypeError, match=r"Asset 'a'.*watchers= is a list of AssetWatcher"):
        Asset("a", watchers=[FileDeleteTrigger("/tmp/x")])


def test_a_trigger_that_a_triggerer_cannot_import_is_refused_with_its_watcher() -> None:

    class Local(BaseEventTrigger):
        def serialize(self) -> tuple[str, dict[str, object]]:
            return "here.Local", {}

        async def run(self):  # type: ignore[no-untyped-def]
            yield

    dag = DAG("d", schedule=[Asset("a", watchers=[AssetWatcher("w", Local())])])
    with pytest.raises(
        DeferralRefused, match=r"Watcher 'w' of asset 'a'.*its trigger Local is defined inside a function"
    ):
        build_dag_spec(dag, HERE, load_class)


def test_a_flag_of_an_access_control_must_be_a_flag() -> None:
    with pytest.raises(TypeError, match="allow_global of AssetAccessControl .* must be True or False, not 'yes'"):
        AssetAccessControl(allow_global="yes")  # type: ignore[arg-type]


def test_asset_or_time_has_both_schedules() -> None:
    cron = CronTriggerTimetable("0 6 * * *", timezone="UTC")
    spec = spec_of(DAG("d", schedule=AssetOrTimeSchedule(timetable=cron, assets=[Asset("a")])))
    assert spec.asset_condition == AllOf((AssetKey("a", "a"),))
    assert (spec.timetable.path, spec.timetable.can_be_scheduled) == ("CronTriggerTimetable", True)
    assert render(summarize_schedule(spec)) == "Asset or 0 6 * * *"
    timetable = AssetOrTimeSchedule(timetable=cron, assets=[Asset("a")])
    assert (timetable.summary, timetable.description) == ("Asset or 0 6 * * *", "Triggered by assets or At 06:00")
    old = spec_of(DAG("d", schedule=DatasetOrTimeSchedule(timetable=NullTimetable(), datasets=Dataset("s3://b/k"))))
    assert old.asset_condition == AssetKey("s3://b/k", "s3://b/k")


def test_a_param_without_a_default_is_refused_because_runs_of_events_have_no_value_for_it() -> None:
    with pytest.raises(ValueError, match="param 'n' has no default"):
        build_dag_spec(DAG("d", schedule=[Asset("a")], params={"n": Param(type="integer")}), HERE)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: AssetOrTimeSchedule(timetable=AssetTriggeredTimetable([Asset("a")]), assets=[Asset("a")]),
            "takes a timetable of times",
        ),
        (lambda: AssetOrTimeSchedule(timetable="@daily", assets=[Asset("a")]), "takes a timetable, not '@daily'"),
        (
            lambda: AssetOrTimeSchedule(timetable=NullTimetable(), assets="a"),
            "takes an asset, a condition or a list of assets, not 'a'",
        ),
        (lambda: AssetTriggeredTimetable(AssetAny()), "has no asset, so it would never hold"),
    ],
)
def test_a_wrong_schedule_by_assets_says_what_to_write(make: Callable[[], object], words: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=words):
        make()


def test_an_extra_that_is_no_json_is_refused_by_name() -> None:
    dag = DAG("d", schedule=[Asset("a", extra={"x": object()})])
    with pytest.raises(ValueError, match="the extra of asset 'a'.*JSON"):
        build_dag_spec(dag, HERE)


def test_the_description_of_the_schedule_names_the_condition() -> None:
    schedule = Asset("a") | Asset("b")
    by_assets = spec_of(DAG("d", schedule=schedule))
    assert render(summarize_schedule(by_assets)) == "Asset"
    described = describe_schedule(by_assets)
    assert described is not None and render(described) == "Triggered by assets: a OR b"
    cron = CronTriggerTimetable("0 6 * * *", timezone="UTC")
    with_times = describe_schedule(spec_of(DAG("d", schedule=AssetOrTimeSchedule(timetable=cron, assets=schedule))))
    assert with_times is not None and render(with_times) == "Triggered by assets: a OR b; or At 06:00"


@asset(schedule=None, uri="s3://b/own")
def own_asset() -> None:
    pass


@asset(schedule=[own_asset], dag_id="other_dag", tags=["x"])
def derived(self: Any, context: Any, own_asset: Any, n: int = 1) -> None:
    pass


@asset.multi(schedule=None, outlets=[Asset("m1"), Asset("m2")])
def several() -> None:
    pass


def test_asset_makes_a_dag_with_one_task_that_writes_it() -> None:
    assert (own_asset.name, own_asset.uri) == ("own_asset", "s3://b/own")
    made = own_asset.dag
    (only,) = made.tasks
    assert (made.dag_id, only.task_id, only.outlets) == ("own_asset", "own_asset", [own_asset])


def test_parameters_of_asset_functions_are_inlets_by_name() -> None:
    made = derived.dag
    (only,) = made.tasks
    assert (made.dag_id, only.task_id, only.inlets) == ("other_dag", "derived", [Asset.ref(name="own_asset")])
    assert spec_of(made).asset_condition == AllOf((AssetKey("own_asset", "s3://b/own"),))


def test_multi_writes_all_of_its_outlets_and_is_a_condition() -> None:
    (only,) = several.dag.tasks
    assert spec_of(several.dag).tasks[0].outlets == (AssetKey("m1", "m1"), AssetKey("m2", "m2"))
    assert only.task_id == several.name == "several"
    assert spec_of(DAG("d", schedule=several)).asset_condition == AllOf((AssetKey("m1", "m1"), AssetKey("m2", "m2")))


@asset(schedule=None)
@task.bash  # type: ignore[untyped-decorator]
def wrapped() -> str:
    return "true"


def test_a_task_decorator_below_asset_keeps_its_operator() -> None:
    (only,) = wrapped.dag.tasks
    assert only.outlets == [wrapped]
    assert type(only).__name__ == "BashDecoratedOperator"


def test_a_dag_of_asset_can_be_copied() -> None:
    again = copy.deepcopy(derived.dag)
    assert again.tasks[0].outlets == [derived]
    assert again.tasks[0].outlets[0].dag is again


def test_mistakes_with_asset_name_the_line() -> None:
    with pytest.raises(ValueError, match="nested function"):

        @asset(schedule=None)
        def nested() -> None:
            pass

    with pytest.raises(TypeError, match=r"@asset \(.*\) has no argument 'retries'"):
        asset(schedule=None, retries=3)
    with pytest.raises(ValueError, match="needs at least one outlet"):
        asset.multi(schedule=None, outlets=[])(own_asset._function)


def test_keys_identify_assets_and_aliases() -> None:
    asset = Asset(name="orders", uri="s3://b/orders")
    key = AssetUniqueKey.from_asset(asset)
    assert key == ("orders", "s3://b/orders") and key.to_asset() == asset
    assert [(found, type(found)) for found, _ in asset.iter_assets()] == [(key, AssetUniqueKey)]
    assert AssetAliasUniqueKey.from_asset_alias(AssetAlias("a")).to_asset_alias() == AssetAlias("a")
    profiles = [SimpleNamespace(name=name, uri=uri) for name, uri in (("n", None), (None, "u"), ("n", "u"))]
    assert [AssetUniqueKey.from_profile(profile) for profile in profiles] == [("n", "n"), ("u", "u"), ("n", "u")]
    with pytest.raises(ValueError, match="name and uri cannot both be empty: give the asset"):
        AssetUniqueKey.from_profile(SimpleNamespace(name="", uri=None))
