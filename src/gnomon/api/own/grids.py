"""The newest runs of a DAG and the states of their tasks in one compact answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gnomon.api.access.permissions import requires
from gnomon.api.common.filters import build_conditions
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.run_filters import RUN_FIELDS
from gnomon.model.instants import iso
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_grid import CompactGrid, read_compact_grid
from gnomon.queries.report.listings.run_list import find_run

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Grid"])
RUNS_MAX = 365


class GridRunAnswer(Answer):
    """A column of the grid."""

    run_id: str
    run_type: str
    state: str
    run_after: datetime
    start_date: datetime | None
    end_date: datetime | None
    version: int | None
    """The number of the version of the DAG that the run uses."""


class GridGroupAnswer(Answer):
    """A task group."""

    group_id: str
    parent: int | None
    """The index of the group that contains it."""
    mapped: bool


class GridAnswer(Answer):
    """Runs × tasks. A cell is a number: the index of a state in `states`; several instances make a list of (index, count) pairs, none makes null."""

    dag_id: str
    states: list[str | None]
    """The states that occur; null: task instances without a state."""
    runs: list[GridRunAnswer]
    """Oldest first."""
    has_older: bool
    """Runs before the first one meet the conditions too."""
    task_ids: list[str]
    """In topological order; tasks that the DAG no longer has come last."""
    groups: list[GridGroupAnswer]
    """The task groups of the newest version, each after the group that contains it."""
    task_groups: list[int | None]
    """For each task, the index of its group."""
    mapped: list[int]
    """The indexes of the tasks with mapped arguments."""
    cells: list[list[int | list[list[int]] | None]]
    """For each task, a cell for each run."""


class GridParameters(BaseModel):
    """The parameters of `GET /dags/{dag_id}/grid`."""

    model_config = ConfigDict(extra="forbid")
    runs: int = Field(25, ge=1, le=RUNS_MAX)
    before: str | None = None
    run_id: str | None = None
    state: list[str] = Field([])
    run_type: list[str] = Field([])
    run_after_gte: datetime | None = None
    run_after_lte: datetime | None = None


@router.get("/grid", response_model=GridAnswer, dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_grid(dag_id: Id, context: Context, parameters: Annotated[GridParameters, Query()]) -> Response:
    """The newest `runs` runs of the DAG with the states of all their tasks.

    `before`: a run id; the runs before that run. `run_id`: that run alone. `state`, `run_type` (each may be given several times), `run_after_gte` and
    `run_after_lte` select runs.
    """
    refuse_wildcard("dag_id", dag_id)
    conditions = build_conditions(parameters, RUN_FIELDS, ("runs", "before"))
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        before = None if parameters.before is None else find_run(tx, dag, parameters.before)
        grid = read_compact_grid(tx, dag, parameters.runs, conditions, before)
    return Response(msgspec.json.encode(_build(grid)), media_type="application/json")


def _build(grid: CompactGrid) -> dict[str, Any]:
    """The fields of GridAnswer, written without validation: a grid may have a hundred thousand cells."""
    runs = [
        {
            "run_id": run.run_id,
            "run_type": run.run_type.value,
            "state": run.state.value,
            "run_after": iso(run.run_after),
            "start_date": iso(run.started_at),
            "end_date": iso(run.ended_at),
            "version": version,
        }
        for run, version in zip(grid.runs, grid.versions, strict=True)
    ]
    return {
        "dag_id": grid.dag_id,
        "states": grid.states,
        "runs": runs,
        "has_older": grid.has_older,
        "task_ids": grid.task_ids,
        "groups": grid.groups,
        "task_groups": grid.task_groups,
        "mapped": grid.mapped,
        "cells": grid.cells,
    }
