"""Whether this installation creates scheduled runs at all."""

from __future__ import annotations

from gnomon.ground.config import Config
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, say


def describe_schedule_switch(cfg: Config, dag: DagRecord) -> list[Sentence]:
    """A sentence for a DAG with a schedule where `[scheduler] use_job_schedule` is off; else none."""
    if cfg.boolean("scheduler", "use_job_schedule") or not dag.spec.timetable.can_be_scheduled:
        return []
    where = cfg.source("scheduler", "use_job_schedule")
    return [say("schedules_are_switched_off", source=where)]
