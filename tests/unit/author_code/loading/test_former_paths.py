"""Paths of modules that have moved, which rows of triggers name."""

from __future__ import annotations

import pytest

from gnomon.author_code.loading.class_loader import load_class, load_object
from gnomon.author_code.loading.former_paths import find_present_path
from gnomon.model.errors import UserError


@pytest.mark.parametrize(
    ("stored", "present"),
    [
        ("gnomon.operators.triggers.temporal.DateTimeTrigger", "gnomon.authoring.operators.triggers.temporal"),
        ("gnomon.operators.triggers.temporal.TimeDeltaTrigger", "gnomon.authoring.operators.triggers.temporal"),
        ("gnomon.operators.triggers.file.FileTrigger", "gnomon.authoring.operators.triggers.file"),
        ("gnomon.operators.triggers.file.FileDeleteTrigger", "gnomon.authoring.operators.triggers.file"),
        ("gnomon.operators.triggers.file.DirectoryFileDeleteTrigger", "gnomon.authoring.operators.triggers.file"),
        (
            "gnomon.operators.triggers.external_task.WorkflowTrigger",
            "gnomon.authoring.operators.triggers.external_task",
        ),
        (
            "gnomon.operators.triggers.external_task.DagStateTrigger",
            "gnomon.authoring.operators.triggers.external_task",
        ),
        ("gnomon.operators.triggers.hitl_trigger.HITLTrigger", "gnomon.authoring.operators.triggers.hitl_trigger"),
        ("gnomon.operators.triggers.testing.SuccessTrigger", "gnomon.authoring.operators.triggers.testing"),
        ("gnomon.sdk.deferral.triggers.Timer", "gnomon.authoring.sdk.deferral.triggers"),
        ("gnomon.timetables.periods.day_periods.Daily", "gnomon.rules.timetables.periods.day_periods"),
        ("gnomon.partitions.key_mappers.IdentityMapper", "gnomon.rules.partitions.key_mappers"),
        ("gnomon.errors.timetable.TimetableNotBuilt", "gnomon.model.errors.timetable"),
    ],
)
def test_a_stored_path_of_a_module_that_has_moved_gives_the_class(stored: str, present: str) -> None:
    found = load_class(stored)
    assert (found.__module__, found.__name__) == (present, stored.rpartition(".")[2])


def test_the_calendars_that_were_stored_are_found() -> None:
    assert load_object("gnomon.calendars.decoding.decode").__module__ == "gnomon.rules.calendars.decoding"


@pytest.mark.parametrize(
    "path",
    [
        "gnomon.timetables.Daily",
        "gnomon.operators.BashOperator",
        "gnomon.testing.run_dag",
        "gnomon.authoring.operators.triggers.temporal.DateTimeTrigger",
        "plugin.operators.triggers.temporal.DateTimeTrigger",
        "airflow.providers.standard.triggers.temporal.DateTimeTrigger",
        "gnomon",
    ],
)
def test_other_paths_stay_as_they_are(path: str) -> None:
    assert find_present_path(path) == path


def test_a_class_that_a_moved_module_does_not_have_is_named_by_its_present_path() -> None:
    with pytest.raises(UserError, match=r"gnomon\.authoring\.operators\.triggers\.file\.NoTrigger cannot be loaded"):
        load_class("gnomon.operators.triggers.file.NoTrigger")
