"""The newest runs of a DAG and the states of their tasks in one compact answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from gnomon.api.access.permissions import requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.common.paths import Id
from gnomon.api.context import Context
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.schemas.base import Answer
from gnomon.model.instants import iso
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_grid import CompactGrid, read_compact_grid

router = APIRouter(prefix="/dags/{dag_id}", tags=["Grid"])
RUNS_MAX = 365


class GridRunAnswer(Answer):
    """A column of the grid."""

    run_id: str
    run_type: str
    state: str
    run_after: datetime
    start_date: datetime | None
    end_date: datetime | None


class GridAnswer(Answer):
    """Runs × tasks. A cell is a number: the index of a state in `states`; several instances make a list of (index, count) pairs, none makes null."""

    dag_id: str
    states: list[str | None]
    """The states that occur; null: task instances without a state."""
    runs: list[GridRunAnswer]
    """Oldest first."""
    task_ids: list[str]
    """In topological order; tasks that the DAG no longer has come last."""
    cells: list[list[int | list[tuple[int, int]] | None]]
    """For each task, a cell for each run."""


@router.get("/grid", response_model=GridAnswer, dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_grid(dag_id: Id, context: Context, runs: Annotated[int, Query(ge=1, le=RUNS_MAX)] = 25) -> Response:
    """The newest `runs` runs of the DAG with the states of all their tasks."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        grid = read_compact_grid(tx, find_dag(tx, dag_id), runs)
    return Response(msgspec.json.encode(_build(grid)), media_type="application/json")


def _build(grid: CompactGrid) -> dict[str, Any]:
    """The fields of GridAnswer, written without validation: a grid may have a hundred thousand cells."""
    runs = [
        {"run_id": run.run_id, "run_type": run.run_type.value, "state": run.state.value, "run_after": iso(run.run_after), "start_date": iso(run.started_at),
         "end_date": iso(run.ended_at)}
        for run in grid.runs
    ]  # fmt: skip
    return {"dag_id": grid.dag_id, "states": grid.states, "runs": runs, "task_ids": grid.task_ids, "cells": grid.cells}

