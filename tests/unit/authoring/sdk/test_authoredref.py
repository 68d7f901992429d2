"""What is stored of an author's timetable: attributes of any kind, a digest of its source, and errors that are its DAG's own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from gnomon.authoring.sdk.arguments.stored_classes import hash_code
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.schedules.author_timetable import build_author_timetable_ref
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import Timetable


class Plain(Timetable):
    """What a newcomer writes."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        return None


def made(**attributes: Any) -> Any:
    """A timetable of a class with these attributes; a callable is a property."""
    body = {name: property(value) if callable(value) else value for name, value in attributes.items()}
    return type("Made", (Plain,), {**body, "__module__": __name__})()


def fails(_: object) -> None:
    raise RuntimeError("boom")


def test_attributes_may_be_of_the_class_of_the_object_or_properties() -> None:
    of_class = build_author_timetable_ref(made(periodic=False, active_runs_limit=3, summary="S", description="D"))
    assert (of_class.periodic, of_class.active_runs_limit, of_class.summary, of_class.description) == (
        False,
        3,
        "S",
        "D",
    )
    computed = build_author_timetable_ref(
        made(periodic=lambda _: False, can_be_scheduled=lambda _: False, active_runs_limit=lambda _: 2)
    )
    assert (computed.periodic, computed.can_be_scheduled, computed.active_runs_limit) == (False, False, 2)
    of_object = Plain()
    of_object.follows_runs, of_object.periodic = True, False
    assert (build_author_timetable_ref(of_object).follows_runs, build_author_timetable_ref(of_object).periodic) == (
        True,
        False,
    )


@pytest.mark.parametrize("name", ["periodic", "can_be_scheduled", "active_runs_limit", "summary", "description"])
def test_a_property_that_raises_is_an_error_of_its_dag_and_not_of_the_file(name: str) -> None:
    dag = DAG("d", schedule=made(**{name: fails}), start_date=datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(AirflowTimetableInvalid, match=rf"Made\.{name} raised RuntimeError: boom"):
        build_dag_spec(dag, "f.py")


@pytest.mark.parametrize("limit", ["3", 0, True, 1.5])
def test_a_limit_that_is_none_is_told(limit: object) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=r"Made\.active_runs_limit is .*; give a whole number"):
        build_author_timetable_ref(made(active_runs_limit=limit))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))
    for name in ("base_of_it", "one_of_it"):
        sys.modules.pop(name, None)


def _digest() -> str:
    for name in ("base_of_it", "one_of_it"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return hash_code(importlib.import_module("one_of_it").One)


def test_the_digest_follows_the_files_of_the_class_and_of_those_it_derives_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (folder / "base_of_it.py").write_text("class Base:\n    pass\n")
    (folder / "one_of_it.py").write_text("from base_of_it import Base\n\nclass One(Base):\n    pass\n")
    first = _digest()
    assert _digest() == first
    (folder / "base_of_it.py").write_text("class Base:\n    x = 1\n")
    second = _digest()
    (folder / "one_of_it.py").write_text("from base_of_it import Base\n\nclass One(Base):\n    y = 1\n")
    assert len({first, second, _digest()}) == 3


def test_the_kind_and_the_zone_of_a_timetable_go_with_it() -> None:
    assert (build_author_timetable_ref(Plain()).granularity, build_author_timetable_ref(Plain()).timezone) == (
        None,
        None,
    )
    of_class = build_author_timetable_ref(made(granularity="discrete_hours", timezone="Europe/Berlin"))
    assert (of_class.granularity, of_class.timezone) == ("discrete_hours", "Europe/Berlin")
    computed = build_author_timetable_ref(made(granularity=lambda _: "week", timezone=lambda _: UTC))
    assert (computed.granularity, computed.timezone) == ("week", "UTC")
    assert build_author_timetable_ref(made(timezone=timezone(timedelta(hours=2)))).timezone == 7200


def test_a_timezone_that_is_no_zone_is_something_of_the_authors_own() -> None:
    assert build_author_timetable_ref(made(timezone="the warehouse")).timezone is None


class Daily(Plain):
    granularity = "daily"  # type: ignore[assignment]


class Computed(Plain):
    @property
    def granularity(self) -> Any:  # type: ignore[override]
        return 3


class Failing(Plain):
    @property
    def granularity(self) -> Any:  # type: ignore[override]
        raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("timetable", "said"),
    [
        (
            Daily(),
            r"Daily\.granularity is 'daily' \(.*test_authoredref\.py:\d+\); write one of 'minute', 'hour', 'discrete_hours', "
            r"'day', 'week', 'month', or None",
        ),
        (Computed(), r"Computed\.granularity is 3 \(.*test_authoredref\.py:\d+\); write one of"),
        (
            Failing(),
            r"Failing\.granularity raised RuntimeError: boom \(.*test_authoredref\.py:\d+\); let it return a kind, or None",
        ),
    ],
)
def test_a_kind_that_there_is_not_names_class_line_and_remedy(timetable: Any, said: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=said):
        build_dag_spec(DAG("d", schedule=timetable, start_date=datetime(2026, 1, 1, tzinfo=UTC)), "f.py")
