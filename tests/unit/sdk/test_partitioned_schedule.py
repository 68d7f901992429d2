"""`PartitionedAssetTimetable` in a DAG file: which asset has which mapper, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon import partitions as p
from gnomon.errors.authoring import AirflowTimetableInvalid
from gnomon.model.assets import AssetKey, AssetRefKey
from gnomon.sdk import DAG, Asset, AssetAlias
from gnomon.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
from gnomon.sdk.dags.dag_spec import build_dag_spec

A, B, C = Asset("a", "s3://a/x"), Asset("b"), Asset.ref(uri="s3://c/x")
DAY, HOUR = p.StartOfDayMapper(), p.StartOfHourMapper()


class OfAuthor(p.IdentityMapper):
    """A mapper of an author."""


def _rules(**arguments: Any) -> dict[Any, Any]:
    dag = DAG("d", schedule=PartitionedAssetTimetable(**arguments))
    spec = build_dag_spec(dag, "d.py").spec
    assert spec.timetable.has_partitions and not spec.timetable.can_be_scheduled
    return {rule.leaf: p.decode_part(rule.mapper) for rule in spec.partition_rules}


def test_each_part_of_the_condition_has_its_mapper() -> None:
    rules = _rules(assets=A & (B | C), partition_mapper_config={A: DAY, Asset.ref(uri="s3://c/x"): HOUR})
    assert rules == {AssetKey("a", "s3://a/x"): DAY, AssetKey("b", "b"): p.IdentityMapper(), AssetRefKey(uri="s3://c/x"): HOUR}


def test_a_mapper_is_found_by_name_or_uri_and_a_combination_gives_it_to_all_its_assets() -> None:
    rules = _rules(assets=[A, B], partition_mapper_config={Asset.ref(name="a") & B: DAY}, default_partition_mapper=HOUR)
    assert list(rules.values()) == [DAY, DAY]
    timetable = PartitionedAssetTimetable(assets=A, default_partition_mapper=HOUR)
    assert timetable.get_partition_mapper(name="x", uri="y") is HOUR and timetable.summary == "Partitioned Asset"


def test_a_dag_without_partitions_has_no_rules() -> None:
    spec = build_dag_spec(DAG("d", schedule=[A]), "d.py").spec
    assert spec.partition_rules == () and not spec.timetable.has_partitions


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"assets": A | AssetAlias("x")}, "cannot wait for the alias 'x'"),
        ({"assets": A, "default_partition_mapper": p.ChainMapper(DAY, OfAuthor())}, "OfAuthor, a partition mapper, window or wait policy of an author"),
        ({"assets": A, "default_partition_mapper": "day"}, "takes a partition mapper, not 'day'"),
        ({"assets": A, "partition_mapper_config": {"a": DAY}}, "takes assets as keys of partition_mapper_config, not 'a'"),
        ({"assets": []}, "takes an asset, a condition or a list of assets"),
    ],
)
def test_what_cannot_work_is_refused_with_its_line(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=words) as raised:
        _rules(**arguments)
    assert "test_partitioned_schedule.py" in str(raised.value)
