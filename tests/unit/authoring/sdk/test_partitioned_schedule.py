"""`PartitionedAssetTimetable` in a DAG file: which asset has which mapper, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from gnomon import partitions as p
from gnomon.authoring.sdk import DAG, Asset, AssetAlias
from gnomon.authoring.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.assets import AssetKey, AssetRefKey
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.rules.partitions.part_codec import list_author_classes

A, B, C = Asset("a", "s3://a/x"), Asset("b"), Asset.ref(uri="s3://c/x")
DAY, HOUR = p.StartOfDayMapper(), p.StartOfHourMapper()


class OfAuthor(p.IdentityMapper):
    """A mapper of an author."""


class Lacking(p.PartitionMapper):
    """Without to_downstream."""


class WithoutSerialize(OfAuthor):
    """Has an argument that is not stored."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> WithoutSerialize:
        return cls(data["word"])


class OfMoment(OfAuthor):
    """Stores what JSON cannot hold."""

    def serialize(self) -> dict[str, Any]:
        return {"at": datetime(2026, 1, 1, tzinfo=UTC)}


class Renamed(OfAuthor):
    """Makes another mapper."""

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Any:
        return p.IdentityMapper()


def _local_mapper() -> p.PartitionMapper:
    class Local(p.IdentityMapper):
        pass

    return Local()


def _rules(**arguments: Any) -> dict[Any, Any]:
    dag = DAG("d", schedule=PartitionedAssetTimetable(**arguments))
    spec = build_dag_spec(dag, "d.py").spec
    assert spec.timetable.has_partitions and not spec.timetable.can_be_scheduled
    return {rule.leaf: p.decode_part(rule.mapper) for rule in spec.partition_rules}


def test_each_part_of_the_condition_has_its_mapper() -> None:
    rules = _rules(assets=A & (B | C), partition_mapper_config={A: DAY, Asset.ref(uri="s3://c/x"): HOUR})
    assert rules == {
        AssetKey("a", "s3://a/x"): DAY,
        AssetKey("b", "b"): p.IdentityMapper(),
        AssetRefKey(uri="s3://c/x"): HOUR,
    }


def test_a_mapper_is_found_by_name_or_uri_and_a_combination_gives_it_to_all_its_assets() -> None:
    rules = _rules(assets=[A, B], partition_mapper_config={Asset.ref(name="a") & B: DAY}, default_partition_mapper=HOUR)
    assert list(rules.values()) == [DAY, DAY]
    timetable = PartitionedAssetTimetable(assets=A, default_partition_mapper=HOUR)
    assert timetable.get_partition_mapper(name="x", uri="y") is HOUR and timetable.summary == "Partitioned Asset"


def test_a_dag_without_partitions_has_no_rules() -> None:
    spec = build_dag_spec(DAG("d", schedule=[A]), "d.py").spec
    assert spec.partition_rules == () and not spec.timetable.has_partitions


def test_a_class_of_an_author_is_stored_by_its_path_with_a_digest_of_its_code() -> None:
    timetable = PartitionedAssetTimetable(
        assets=A, default_partition_mapper=p.ChainMapper(DAY, OfAuthor(max_downstream_keys=3))
    )
    (rule,) = build_dag_spec(DAG("d", schedule=timetable), "d.py").spec.partition_rules
    assert list_author_classes(rule.mapper) == [f"{__name__}.OfAuthor"] and len(rule.code) == 16
    assert p.decode_part(rule.mapper, {f"{__name__}.OfAuthor": OfAuthor}.get) == p.ChainMapper(
        DAY, OfAuthor(max_downstream_keys=3)
    )
    assert json.loads(msgspec.json.encode(rule)) == {
        "leaf": {"type": "asset", "name": "a", "uri": "s3://a/x"},
        "mapper": rule.mapper,
        "code": rule.code,
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"assets": A | AssetAlias("x")}, "cannot wait for the alias 'x'"),
        (
            {"assets": A, "default_partition_mapper": p.ChainMapper(DAY, Lacking())},
            r"Lacking, which lacks the method to_downstream\. Write `def to_downstream\(self, key\)`",
        ),
        (
            {"assets": A, "default_partition_mapper": WithoutSerialize("x")},
            "WithoutSerialize, which cannot be made again .* Write `def serialize",
        ),
        (
            {"assets": A, "default_partition_mapper": OfMoment()},
            "OfMoment, whose serialize returned a datetime in .*'at'.*isoformat",
        ),
        ({"assets": A, "default_partition_mapper": _local_mapper()}, "Local, which is defined inside a function"),
        ({"assets": A, "default_partition_mapper": Renamed()}, "deserialize returned IdentityMapper. Return Renamed"),
        ({"assets": A, "default_partition_mapper": "day"}, "takes a partition mapper, not 'day'"),
        (
            {"assets": A, "partition_mapper_config": {"a": DAY}},
            "takes assets as keys of partition_mapper_config, not 'a'",
        ),
        ({"assets": []}, "takes an asset, a condition or a list of assets"),
    ],
)
def test_what_cannot_work_is_refused_with_its_line(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=words) as raised:
        _rules(**arguments)
    assert "test_partitioned_schedule.py" in str(raised.value)
