"""`DAG(baselines=[gnomon.Baseline(...)])`: what the spec gets, and the sentence for each mistake."""

from __future__ import annotations

import datetime as dt

import pytest

from gnomon import DAG, Baseline
from gnomon.authoring.sdk.arguments.baselines import as_baselines, encode_baselines
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.baseline_specs import BaselineSpec, name_for_dag
from gnomon.operators import EmptyOperator


def test_a_baseline_is_about_its_dag_or_tasks_of_it_in_the_zone_of_the_dag() -> None:
    with DAG(
        "report", baselines=[Baseline("07:00"), Baseline(dt.time(1, 30), name="late", tasks="publish", margin=60)]
    ) as dag:
        EmptyOperator(task_id="publish")
    spec = build_dag_spec(dag, "f.py").spec
    named = [name_for_dag(each, "report", "Europe/Berlin") for each in spec.baselines]
    assert [(each.name, each.of, each.by, each.timezone) for each in named] == [
        ("report", ("report",), "07:00", "Europe/Berlin"),
        ("late", ("report.publish",), "01:30", "Europe/Berlin"),
    ]
    assert named[1].margin_s == 60.0


def test_all_arguments_act() -> None:
    promise = Baseline(
        "01:30 +1 day",
        name="b",
        timezone="UTC",
        margin=dt.timedelta(minutes=5),
        at_risk=0.5,
        weekdays=("sun",),
        owner="me",
        calendar="work",
        to="ops",
    )
    assert encode_baselines(as_baselines("baselines", promise)) == (
        BaselineSpec(
            name="b",
            of=(),
            by="01:30",
            days=1,
            timezone="UTC",
            margin_s=300.0,
            at_risk=0.5,
            weekdays=(6,),
            owner="me",
            calendar="work",
            to=("ops",),
        ),
    )
    assert as_baselines("baselines", None) == []


@pytest.mark.parametrize(
    ("by", "arguments", "told"),
    [
        ("7", {}, "write a time of day"),
        (7, {}, "write a time of day"),
        ("07:00 +9 days", {}, "at most 7 days"),
        ("07:00", {"name": "a b"}, "write letters"),
        ("07:00", {"margin": dt.timedelta(days=1)}, "shorter than a day"),
        ("07:00", {"margin": "5m"}, "give a timedelta or seconds"),
        ("07:00", {"at_risk": 0}, "a probability between 0 and 1"),
        ("07:00", {"timezone": "Berlin"}, "give the name of a zone"),
        ("07:00", {"weekdays": "monday"}, "write some of mon"),
        ("07:00", {"owner": None}, "give a text"),
        ("07:00", {"calendar": 3}, "give the name of a calendar"),
        ("07:00", {"to": [3]}, "give a text or a list of texts"),
        ("07:00", {"tasks": [3]}, "give a text or a list of texts"),
    ],
)
def test_a_mistake_names_the_argument_and_the_remedy(by: object, arguments: dict[str, object], told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        Baseline(by, **arguments)  # type: ignore[arg-type]


def test_two_of_the_same_name_and_an_unknown_task_are_refused() -> None:
    with pytest.raises(ValueError, match="give each its own"):
        DAG("report", baselines=[Baseline("07:00"), Baseline("08:00")])
    with pytest.raises(TypeError, match=r"write baselines=\[gnomon.Baseline"):
        DAG("report", baselines=["07:00"])
    with DAG("report", baselines=Baseline("07:00", tasks="publsh")) as dag:
        EmptyOperator(task_id="publish")
    with pytest.raises(ValueError, match="did you mean 'publish'"):
        build_dag_spec(dag, "f.py")


def test_an_unknown_calendar_is_refused_and_an_unknown_channel_is_told() -> None:
    with DAG("report", baselines=Baseline("07:00", calendar="wrok")) as dag:
        EmptyOperator(task_id="publish")
    with pytest.raises(ValueError, match=r"DAG 'report': Baseline\('07:00'\): there is no calendar 'wrok'"):
        build_dag_spec(dag, "f.py")
    with DAG("report", baselines=Baseline("07:00", to="opps")) as dag:
        EmptyOperator(task_id="publish")
    build_dag_spec(dag, "f.py")
    assert any("channel 'opps'" in warning for warning in dag.warnings)
