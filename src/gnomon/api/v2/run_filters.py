"""The parameters of lists of runs, and the fields that they filter and order by."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TypeVar

from pydantic import Field

from gnomon.api.common.filters import FilterField, read_instant, read_seconds
from gnomon.api.common.ordering import SortField
from gnomon.api.common.paging import PageParameters
from gnomon.api.common.refusals import Refusal
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.states import RUN_STATE_CODES, DagRunState, DagRunType

E = TypeVar("E", DagRunState, DagRunType)


class RunTimeFilters(PageParameters):
    """Filters on the times of a run."""

    run_after_gte: datetime | None = None
    run_after_gt: datetime | None = None
    run_after_lte: datetime | None = None
    run_after_lt: datetime | None = None
    logical_date_gte: datetime | None = None
    logical_date_gt: datetime | None = None
    logical_date_lte: datetime | None = None
    logical_date_lt: datetime | None = None
    start_date_gte: datetime | None = None
    start_date_gt: datetime | None = None
    start_date_lte: datetime | None = None
    start_date_lt: datetime | None = None
    end_date_gte: datetime | None = None
    end_date_gt: datetime | None = None
    end_date_lte: datetime | None = None
    end_date_lt: datetime | None = None
    updated_at_gte: datetime | None = None
    updated_at_gt: datetime | None = None
    updated_at_lte: datetime | None = None
    updated_at_lt: datetime | None = None
    duration_gte: float | None = None
    duration_gt: float | None = None
    duration_lte: float | None = None
    duration_lt: float | None = None


class RunFilters(RunTimeFilters):
    """The parameters of `GET /dags/{dag_id}/dagRuns`."""

    cursor: str | None = None
    order_by: list[str] = Field([])
    conf_contains: str | None = None
    run_type: list[str] = Field([])
    state: list[str] = Field([])
    dag_version: list[int] = Field([])
    bundle_version: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None
    triggering_user_name_pattern: str | None = None
    triggering_user_name_prefix_pattern: str | None = None
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    partition_key_pattern: str | None = None
    partition_key_prefix_pattern: str | None = None
    partition_date_gte: date | None = None
    partition_date_lte: date | None = None
    consuming_asset_pattern: str | None = None


def read_run_state(name: str) -> int | None:
    """The code of the state of a run; None for `none`, which no run has. Raises Refusal (422)."""
    return None if name == "none" else RUN_STATE_CODES[_read_value(DagRunState, name, "state")]


def _read_run_type(name: str) -> str:
    return _read_value(DagRunType, name, "run_type").value


def _read_value(kind: type[E], name: str, parameter: str) -> E:
    try:
        return kind(name)
    except ValueError:
        raise Refusal(
            422,
            say(
                "value_of_parameter_is_unknown",
                option=parameter,
                text=name,
                names=", ".join(member.value for member in kind),
            ),
        ) from None


def _read_day(day: date) -> Instant:
    return read_instant(datetime(day.year, day.month, day.day, tzinfo=UTC))


RUN_FIELDS = {
    "run_after": FilterField("run_after", read_instant),
    "logical_date": FilterField("logical_date", read_instant),
    "start_date": FilterField("start_date", read_instant),
    "end_date": FilterField("end_date", read_instant),
    "updated_at": FilterField("updated_at", read_instant),
    "duration": FilterField("duration", read_seconds),
    "partition_date": FilterField("partition_date", _read_day),
    "run_type": FilterField("run_type", _read_run_type),
    "state": FilterField("state", read_run_state),
    "dag_version": FilterField("version_number"),
    "run_id": FilterField("run_id"),
    "dag_id": FilterField("dag_id"),
    "partition_key": FilterField("partition_key", splits=False),
    "triggering_user_name": FilterField("created_by"),
}
"""By the name of a filter."""
NO_FILTERS = (
    "limit",
    "offset",
    "cursor",
    "order_by",
    "bundle_version",
    "conf_contains",
    "consuming_asset_pattern",
    "timetable_type",
    "timetable_type_not",
    "late",
)
"""Parameters that `build_conditions` does not read."""
RUN_ORDER = {
    "id": SortField("id"),
    "state": SortField("state"),
    "dag_id": SortField("dag_id", is_text=True),
    "run_id": SortField("run_id", is_text=True),
    "dag_run_id": SortField("run_id", is_text=True),
    "logical_date": SortField("logical_date", is_nullable=True),
    "partition_date": SortField("partition_date", is_nullable=True),
    "run_after": SortField("run_after"),
    "start_date": SortField("start_date", is_nullable=True),
    "end_date": SortField("end_date", is_nullable=True),
    "updated_at": SortField("updated_at"),
    "conf": SortField("conf", is_text=True),
    "duration": SortField("duration", is_nullable=True),
}
"""By the name of an attribute in `order_by`."""
RUN_KEY = (SortField("id"),)
RUN_ORDERS_WITH_INDEX = frozenset(
    {"id", "state", "dag_id", "logical_date", "partition_date", "run_after", "start_date", "end_date", "updated_at"}
)
"""First fields of orders that the store reads from an index; by others it sorts a list of moderate length only."""
