"""An author's timetable is checked where its file is parsed, and every way to give a schedule is accepted."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.timetables import CronTriggerTimetable, Timetable

HERE = __file__


class Daytime(Timetable):
    """Parameterised, as it should be."""

    description = "at a time of day"

    def __init__(self, at: dt.time = dt.time(8), zone: str = "UTC") -> None:
        self.at = at
        self.zone = zone

    @property
    def summary(self) -> str:
        return f"after each workday, at {self.at}"

    def serialize(self) -> dict[str, Any]:
        return {"at": self.at.isoformat()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Daytime:
        return cls(dt.time.fromisoformat(data["at"]))


class Nothing(Timetable):
    pass


class OwnWords(Timetable):
    def __init__(self) -> None:
        self.summary = "mine"
        self.description = "of the instance"


class ClassWords(Timetable):
    summary = "of the class"  # type: ignore[assignment]
    description = "of the class, too"


class Wordless(Timetable):
    description = None  # type: ignore[assignment]


class Needs(Timetable):
    def __init__(self, at: dt.time) -> None:
        self.at = at


class Forgets(Daytime):
    """Leaves an argument out, which its summary shows."""

    @property
    def summary(self) -> str:
        return f"at {self.at} in {self.zone}"


class Raw(Needs):
    def serialize(self) -> dict[str, Any]:
        return {"times": [{"at": self.at}]}


class Keyed(Needs):
    def serialize(self) -> dict[str, Any]:
        return {"at": {(8, 0): 1}}


class Returnless(Timetable):
    def serialize(self) -> dict[str, Any]:  # type: ignore[return]
        {"a": 1}


class Methodical(Daytime):
    @staticmethod
    def summary() -> str:  # type: ignore[override]
        return "method"


class Selfish(Daytime):
    def deserialize(self, data: dict[str, Any]) -> Daytime:  # type: ignore[override]
        return self


class Empty(Daytime):
    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Daytime:
        Daytime.deserialize(data)  # type: ignore[return]


class Mismatched(Daytime):
    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Daytime:
        return cls(data["time"])


class Unsummed(Daytime):
    @property
    def summary(self) -> str:
        return f"at {self.att}"  # type: ignore[attr-defined]


class Invalid(Daytime):
    def validate(self) -> None:
        raise AirflowTimetableInvalid("at must be a full hour")


class Broken(Daytime):
    def validate(self) -> None:
        raise RuntimeError("no such hour")


class Renamed(CronTriggerTimetable):
    """A built-in timetable with other words: the rest is as it was."""

    summary = "nightly"  # type: ignore[assignment]


class ByPartition(Daytime):
    partitioned_at_runtime = True


class ByAssets(Daytime):
    asset_condition = "table"


def _dag(schedule: Any) -> DAG:
    return DAG("timely", schedule=schedule, start_date=dt.datetime(2024, 1, 1, tzinfo=dt.UTC))


def test_the_stored_form_says_that_its_runs_may_have_partitions() -> None:
    for timetable, has_partitions in ((ByPartition(), True), (Daytime(), False)):
        assert build_dag_spec(_dag(timetable), HERE).spec.timetable.has_partitions is has_partitions


def _refused(schedule: Any) -> str:
    with pytest.raises((AirflowTimetableInvalid, TypeError, ValueError)) as caught:
        build_dag_spec(_dag(schedule), HERE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("timetable", "summary", "description"),
    [
        (Daytime(dt.time(8)), "after each workday, at 08:00:00", "at a time of day"),
        (Nothing(), "Nothing", ""),
        (OwnWords(), "mine", "of the instance"),
        (ClassWords(), "of the class", "of the class, too"),
        (Wordless(), "Wordless", ""),
        (Renamed("0 3 * * *", timezone="UTC"), "nightly", "At 03:00"),
    ],
)
def test_words_come_from_class_instance_or_property(timetable: Any, summary: str, description: str) -> None:
    ref = build_dag_spec(_dag(timetable), HERE).spec.timetable
    assert (ref.summary, ref.description, ref.builtin) == (summary, description, False)
    assert ref.path == f"{__name__}.{type(timetable).__name__}"


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (Daytime, "the schedule is the class Daytime, not a timetable made from it; write Daytime(...)"),
        (CronTriggerTimetable, "write CronTriggerTimetable(...)"),
        (Needs(dt.time(8)), "Needs takes at, and has no deserialize; write `def serialize(self)`"),
        (Raw(dt.time(8)), "Raw.serialize returned a time in ['times'][0]['at'], which JSON cannot hold"),
        (
            Keyed(dt.time(8)),
            "Keyed.serialize returned a dict with the key (8, 0) in ['at'], which JSON cannot hold; keys are texts",
        ),
        (Returnless(), "Returnless.serialize returned None (is there a `return`?)"),
        (Methodical(), "Methodical.summary is a method"),
        (Selfish(), "Selfish.deserialize needs the class, not a timetable"),
        (Empty(), "Empty.deserialize returned None (is there a `return`?)"),
        (Mismatched(), "Mismatched.deserialize raised KeyError: 'time', for {'at': '08:00:00'}"),
        (Unsummed(), "Unsummed.summary raised AttributeError: 'Unsummed' object has no attribute 'att'"),
        (Invalid(), "the schedule is not valid. at must be a full hour"),
        (Broken(), "Broken.validate raised RuntimeError: no such hour"),
    ],
)
def test_what_cannot_be_stored_is_told_with_dag_class_and_remedy(schedule: Any, said: str) -> None:
    told = _refused(schedule)
    assert told.startswith(f"DAG 'timely' ({HERE}:")
    assert said in told


def test_the_line_of_the_method_is_told() -> None:
    assert f"({HERE}:{Raw.serialize.__code__.co_firstlineno}" in _refused(Raw(dt.time(8)))


def test_a_class_inside_a_function_is_refused() -> None:
    class Hidden(Timetable):
        pass

    assert "Hidden is defined inside a function, and other processes cannot import it" in _refused(Hidden())


def test_something_like_a_timetable_is_told_to_derive() -> None:
    class Like:
        def next_dagrun_info(self, **_: Any) -> None:
            return None

    assert "Like has next_dagrun_info but does not derive from Timetable" in _refused(Like())


def test_an_argument_that_is_not_kept_is_a_warning() -> None:
    dag = _dag(Forgets(dt.time(9), "Europe/Zurich"))
    build_dag_spec(dag, HERE)
    (warning,) = dag.warnings
    assert "its summary is 'at 09:00:00 in UTC' instead of 'at 09:00:00 in Europe/Zurich'" in warning
    assert "let serialize return every argument" in warning


def test_an_asset_condition_that_is_no_asset_is_a_warning() -> None:
    dag = _dag(ByAssets())
    spec = build_dag_spec(dag, HERE).spec
    (warning,) = dag.warnings
    assert "its timetable has an asset_condition that is no asset, alias, reference or combination of them" in warning
    assert spec.asset_condition is None


@pytest.mark.parametrize("keyword", ["schedule", "schedule_interval", "timetable"])
@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, "NullTimetable"),
        ("@daily", "CronTriggerTimetable"),
        ("@once", "OnceTimetable"),
        ("@continuous", "ContinuousTimetable"),
        ("0 6 * * 1-5", "CronTriggerTimetable"),
        (dt.timedelta(hours=6), "DeltaTriggerTimetable"),
        (relativedelta(months=1), "DeltaTriggerTimetable"),
        (CronTriggerTimetable("@daily", timezone="UTC"), "CronTriggerTimetable"),
        (Daytime(), f"{__name__}.Daytime"),
    ],
)
def test_each_keyword_takes_every_schedule(keyword: str, value: Any, path: str) -> None:
    dag = DAG("timely", start_date=dt.datetime(2024, 1, 1, tzinfo=dt.UTC), max_active_runs=1, **{keyword: value})
    if (
        keyword != "schedule"
    ):  # an argument of Airflow 2, where the runs of a cron text or a timedelta have data intervals
        path = {
            "CronTriggerTimetable": "CronDataIntervalTimetable",
            "DeltaTriggerTimetable": "DeltaDataIntervalTimetable",
        }.get(path, path)
        path = "CronTriggerTimetable" if isinstance(value, CronTriggerTimetable) else path
    assert build_dag_spec(dag, HERE).spec.timetable.path == path


def test_an_old_keyword_beside_a_new_one_counts_only_once() -> None:
    assert DAG("timely", schedule_interval=None, timetable=Daytime()).timetable.at == dt.time(8)
    with pytest.raises(TypeError, match="timetable= and schedule= are the same argument; give one of them"):
        DAG("timely", schedule="@daily", timetable=Daytime())
