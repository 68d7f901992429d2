"""What a simulation must show, in a short form that CI can keep: `report ends before 07:00`, `load.copy takes less than 10m`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time

from gnomon.changes.scenarios.scenario_changes import TEXT_MAX, suggest_name
from gnomon.ground.config.alert_channels import read_span
from gnomon.model.baselines import split_subject
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec

EXAMPLES = "'report ends before 07:00', 'report ends before 01:30 +1 day', 'load starts after 02:00' or 'load.copy takes less than 10m'"
_CLOCK = re.compile(
    r"(?P<name>\S+) (?P<edge>starts|ends) (?P<side>before|after) (?P<hour>\d{1,2}):(?P<minute>\d\d)(?: \+(?P<days>\d) days?)?"
)
_SPAN = re.compile(r"(?P<name>\S+) takes less than (?P<span>\S+)")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation about all runs of a DAG, or about a task of them."""

    text: str
    dag_id: str
    task_id: str | None
    edge: str = ""
    """starts or ends; empty: the duration is meant."""
    is_before: bool = True
    at: time = time()
    """The local time in the zone of the DAG, on the day on which the run is due or `days` later."""
    days: int = 0
    span_s: float = 0.0


def read_expectation(text: str, specs: Mapping[str, DagSpec], place: str | None = None) -> Expectation:
    """`place`: where the text stands, if it is no option. Raises UserError for a text of another form, and for a name that is no DAG and no task of a DAG."""
    clock, span = _CLOCK.fullmatch(text.strip()), _SPAN.fullmatch(text.strip())
    match = clock or span
    if match is None:
        raise _refuse(text, place)
    dag_id, task_id = find_subject(place or f"--expect {text!r}", match["name"], specs)
    try:
        if clock is None:
            assert span is not None
            return Expectation(text, dag_id, task_id, span_s=read_span(span["span"], "the span", "it"))
        at = time(int(clock["hour"]), int(clock["minute"]))
    except ValueError:
        raise _refuse(text, place) from None
    return Expectation(text, dag_id, task_id, clock["edge"], clock["side"] == "before", at, int(clock["days"] or 0))


def _refuse(text: str, place: str | None) -> UserError:
    return UserError(say("scenario_value_is_wrong", option=place or "--expect", text=text[:TEXT_MAX], example=EXAMPLES))


def find_subject(place: str, name: str, specs: Mapping[str, DagSpec]) -> tuple[str, str | None]:
    """The DAG and the task (None: the DAG itself) of a name. Raises UserError, with the place where it stands, when there is no such one."""
    dag_id, task_id = split_subject(name, specs)
    if dag_id in specs and (task_id is None or any(task.task_id == task_id for task in specs[dag_id].tasks)):
        return dag_id, task_id
    known = [*specs, *(f"{spec.dag_id}.{task.task_id}" for spec in specs.values() for task in spec.tasks)]
    raise UserError(say("scenario_names_nothing", option=place, name=name, hint=suggest_name(name, known)))
