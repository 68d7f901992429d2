"""allowed_run_types, the zone of an end date that is text, documentation in a file, resources, links of owners."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from gnomon.authoring.sdk.arguments.resources import Resources
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.assets.asset_schedules import AssetOrTimeSchedule
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.states import DagRunType
from gnomon.timetables import CronTriggerTimetable

ZURICH = ZoneInfo("Europe/Zurich")
EITHER = AssetOrTimeSchedule(timetable=CronTriggerTimetable("0 6 * * *", timezone="UTC"), assets=[Asset("a")])
START = dt.datetime(2024, 1, 1, tzinfo=ZURICH)


def test_an_end_date_that_is_text_is_read_in_the_zone_of_the_start_date() -> None:
    dag = DAG(
        "d", schedule=None, start_date=START, end_date="2024-07-01T12:00:00", default_args={"end_date": "2024-07-02"}
    )  # type: ignore[arg-type]
    assert dag.end_date == dt.datetime(2024, 7, 1, 12, tzinfo=ZURICH)
    assert dag.default_args["end_date"] == dt.datetime(2024, 7, 2, tzinfo=ZURICH)
    assert dag.warnings == []
    naive = DAG("d", schedule=None, start_date=START, end_date=dt.datetime(2024, 7, 1))
    assert naive.end_date == dt.datetime(2024, 7, 1, tzinfo=dt.UTC), (
        "a naive datetime is read in [core] default_timezone"
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, ()),
        (DagRunType.MANUAL, ("manual",)),
        (["manual", DagRunType.BACKFILL_JOB], ("backfill", "manual")),
    ],
)
def test_the_types_of_runs_are_in_the_spec(given: object, kept: tuple[str, ...]) -> None:
    dag = DAG("d", schedule=None, start_date=START, allowed_run_types=given)
    assert build_dag_spec(dag, "f.py").spec.allowed_run_types == kept


@pytest.mark.parametrize(
    ("schedule", "given", "words"),
    [
        ("@daily", ["manual"], "must include SCHEDULED, because the DAG has a schedule"),
        (EITHER, ["scheduled"], "must include ASSET_TRIGGERED, because the DAG is scheduled by assets"),
        (Asset("a"), ["scheduled"], "must include ASSET_TRIGGERED, because the DAG is scheduled by assets"),
        (None, ["scheduled"], "must include MANUAL, because the DAG has no schedule"),
        (None, ["sometimes"], "Use some of: scheduled, manual"),
    ],
)
def test_types_that_exclude_the_runs_of_the_schedule_are_refused(schedule: Any, given: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=rf"DAG 'd' \(.*test_arguments_of_dags.py:\d+\): .*{words}"):
        DAG("d", schedule=schedule, start_date=START, allowed_run_types=given)


@pytest.mark.parametrize(
    ("given", "is_scheduled"),
    [(None, True), (["asset_triggered", "scheduled"], True), (["asset_triggered", "manual"], False)],
)
def test_a_schedule_of_assets_and_times_that_allows_no_scheduled_runs_gets_none_and_warns(
    given: list[str] | None, is_scheduled: bool
) -> None:
    dag = DAG("d", schedule=EITHER, start_date=START, allowed_run_types=given)
    spec = build_dag_spec(dag, "f.py").spec
    assert spec.asset_condition is not None
    assert spec.timetable.can_be_scheduled is is_scheduled
    assert ["it gets no runs at the times of its schedule" in warning for warning in dag.warnings] == (
        [] if is_scheduled else [True]
    )


def test_documentation_that_names_a_file_is_its_content(tmp_path: Path) -> None:
    (tmp_path / "flow.md").write_text("# The flow")
    assert DAG("d", schedule=None, doc_md=str(tmp_path / "flow.md")).doc_md == "# The flow"
    assert DAG("d", schedule=None, doc_md="none.md").doc_md == "none.md"


def test_resources_are_checked_and_have_the_defaults_of_the_options() -> None:
    task = BaseOperator(task_id="t", resources={"cpus": 2})
    assert isinstance(task.resources, Resources)
    assert task.resources.to_dict() == {
        "cpus": {"name": "CPU", "qty": 2, "units_str": "core(s)"},
        "ram": {"name": "RAM", "qty": 512.0, "units_str": "MB"},
        "disk": {"name": "Disk", "qty": 512.0, "units_str": "MB"},
        "gpus": {"name": "GPU", "qty": 0.0, "units_str": "gpu(s)"},
    }
    assert Resources.from_dict(task.resources.to_dict()) == task.resources
    with pytest.raises(TypeError, match="resources must be a dict with some of cpus, ram, disk and gpus"):
        BaseOperator(task_id="u", resources={"tpus": 1})


def test_a_link_of_an_owner_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="owner_links: 'nowhere' of 'ada' is no link"):
        DAG("d", schedule=None, owner_links={"ada": "nowhere"})


@pytest.mark.parametrize("value", ["False", 1.5, []])
def test_a_flag_takes_no_text(value: object) -> None:
    with pytest.raises(TypeError, match="depends_on_past must be True or False"):
        BaseOperator(task_id="t", depends_on_past=value)  # type: ignore[arg-type]
