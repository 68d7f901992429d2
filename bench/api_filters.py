"""Requests with each filter of each list, made from what the lists declare, and random values for them: which DAG, state, window of time."""

from __future__ import annotations

import random
import typing
from collections.abc import Iterator
from datetime import datetime

from pydantic import BaseModel

from bench.api_history import DAY, END, TEAMS, HistorySize, dag_name
from gnomon.api.common.paging import PageParameters
from gnomon.api.v2.asset_events import AssetEventFilters
from gnomon.api.v2.assets import AliasFilters, AssetFilters
from gnomon.api.v2.connections import ConnectionFilters
from gnomon.api.v2.dag_filters import DagFilters
from gnomon.api.v2.dag_information import VersionFilters, WarningFilters
from gnomon.api.v2.dags import TagFilters
from gnomon.api.v2.event_logs import EventFilters
from gnomon.api.v2.hitl_details import HITLFilters
from gnomon.api.v2.import_errors import ImportErrorFilters
from gnomon.api.v2.jobs import JobFilters
from gnomon.api.v2.pools import PoolFilters
from gnomon.api.v2.run_filters import RunFilters
from gnomon.api.v2.task_instance_filters import ONLY_IN_SPECS, TaskInstanceFilters
from gnomon.api.v2.variables import VariableFilters
from gnomon.api.v2.xcoms import XComFilters
from gnomon.model.instants import to_datetime

V2 = "/api/v2"
RUNS, TASKS = f"{V2}/dags/~/dagRuns", f"{V2}/dags/~/dagRuns/~/taskInstances"
LISTS: tuple[tuple[str, type[PageParameters]], ...] = (
    (f"{V2}/dags", DagFilters), (f"{V2}/dagTags", TagFilters), (f"{V2}/dagWarnings", WarningFilters), (f"{V2}/dags/{{dag}}/dagVersions", VersionFilters),
    (RUNS, RunFilters), (f"{V2}/dags/{{dag}}/dagRuns", RunFilters), (TASKS, TaskInstanceFilters), (f"{V2}/dags/{{dag}}/dagRuns/~/taskInstances", TaskInstanceFilters),
    (f"{TASKS}/~/xcomEntries", XComFilters), (f"{V2}/dags/~/dagRuns/~/hitlDetails", HITLFilters), (f"{V2}/eventLogs", EventFilters),
    (f"{V2}/importErrors", ImportErrorFilters), (f"{V2}/jobs", JobFilters), (f"{V2}/pools", PoolFilters), (f"{V2}/variables", VariableFilters),
    (f"{V2}/connections", ConnectionFilters), (f"{V2}/assets", AssetFilters), (f"{V2}/assets/aliases", AliasFilters), (f"{V2}/assets/events", AssetEventFilters),
)  # fmt: skip
"""Each list with filters, and what it declares. `GET /backfills` is not among them: it must have a DAG."""
_NO_FILTERS = frozenset(
    {
        "limit",
        "offset",
        "cursor",
        "order_by",
        "tags_match_mode",
        "conf_contains",
        "consuming_asset_pattern",
        "partition_date_gte",
        "partition_date_lte",
    }
)
_VALUES: dict[str, str] = {
    "dag_id": "{dag}",
    "source_dag_id": "{dag}",
    "dag_ids": "{dag}",
    "dag_id_pattern": "{digits}",
    "dag_id_prefix_pattern": "dag_{digits}",
    "dag_display_name_pattern": "{digits}",
    "dag_display_name_prefix_pattern": "dag_{digits}",
    "tags": "{team}",
    "owners": "{owner}",
    "tag_name_pattern": "team",
    "task_id": "task_{digit}",
    "source_task_id": "task_{digit}",
    "task_id_pattern": "task_{digit}",
    "task_id_prefix_pattern": "task_{digit}",
    "run_id": "{run_id}",
    "source_run_id": "{run_id}",
    "run_id_pattern": "manual",
    "run_id_prefix_pattern": "{run_id}",
    "run_type": "{run_type}",
    "dag_version": "{digit}",
    "version_number": "{digit}",
    "bundle_version": "x",
    "bundle_name": "dags-folder",
    "triggering_user_name_pattern": "user_{digit}",
    "triggering_user_name_prefix_pattern": "api:user_{digit}",
    "partition_key_pattern": "x",
    "partition_key_prefix_pattern": "x",
    "last_dag_run_state": "{run_state}",
    "dag_run_state": "{run_state}",
    "asset_dependency": "x",
    "timetable_type": "x",
    "pool": "{pool}",
    "pool_name_pattern": "{pool}",
    "pool_name_prefix_pattern": "pool_0",
    "try_number": "{digit}",
    "map_index": "{digit}",
    "map_index_filter": "{digit}",
    "source_map_index": "{digit}",
    "rendered_map_index_pattern": "x",
    "rendered_map_index_prefix_pattern": "x",
    "duration_gte": "{seconds}",
    "duration_gt": "{seconds}",
    "duration_lte": "{seconds}",
    "duration_lt": "{seconds}",
    "xcom_key": "{key}",
    "xcom_key_pattern": "value",
    "xcom_key_prefix_pattern": "return",
    "owner": "api:user_{digit}",
    "owner_pattern": "user_{digit}",
    "owner_prefix_pattern": "api:user_{digit}",
    "event": "{event}",
    "event_pattern": "{event}",
    "event_prefix_pattern": "{event}",
    "included_events": "{event}",
    "excluded_events": "{event}",
    "responded_by_user_id": "u{digit}",
    "responded_by_user_name": "User",
    "subject_search": "Release",
    "body_search": "Look",
    "asset_id": "{digit}",
}
"""By name of a filter: its value. Without one a boolean is true or false, a time is in the last ten days, a number is a digit, and a text is `x`."""
_STATES = {RunFilters: "{run_state}", TaskInstanceFilters: "{task_state}", HITLFilters: "{task_state}"}


def list_filter_paths() -> Iterator[str]:
    """One path for each filter of each list, with names in braces that `fill` replaces."""
    for path, model in LISTS:
        for name, field in model.model_fields.items():
            base = name.removesuffix("_pattern").removesuffix("_prefix").removesuffix("_name")
            if name not in _NO_FILTERS and (
                model is not TaskInstanceFilters or base not in (*ONLY_IN_SPECS, "operator", "queue")
            ):
                yield f"{path}?limit=100&{name}={_find_value(model, name, field.annotation)}"
    for filters in _PAIRS_OF_TASKS:
        yield f"{TASKS}?limit=100&{filters}"
    for filters in _PAIRS_OF_RUNS:
        yield f"{RUNS}?limit=100&{filters}"


_PAIRS_OF_TASKS = (
    "start_date_gte={since}&order_by=-run_after",
    "end_date_gte={since}&order_by=-id",
    "start_date_gte={since}&start_date_lt={end_of_since}&run_after_gte={before_since}&run_after_lt={end_of_since}",
    "state=failed&end_date_gte={since}",
    "state=success&end_date_gte={hour}",
    "duration_gte=50&start_date_gte={hour}",
    "updated_at_gte={hour}",
    "pool={pool}&run_after_gte={since}",
    "run_after_gte={since}&run_after_lt={end_of_since}&order_by=-run_after",
    "state={task_state}&pool={pool}",
    "state=success&order_by=-run_after&try_number=2",
    "end_date_gte={hour}&order_by=-end_date&state=failed",
)
_PAIRS_OF_RUNS = (
    "start_date_gte={since}&start_date_lt={end_of_since}&order_by=-start_date",
    "state=failed&end_date_gte={since}&order_by=-end_date",
    "run_type=manual&state=failed&order_by=-run_after",
    "updated_at_gte={since}&order_by=updated_at",
    "dag_id_pattern={digits}&state=failed&order_by=-run_after",
    "state=success&run_after_gte={since}&order_by=-run_after",
)


def _find_value(model: type[BaseModel], name: str, annotation: object) -> str:
    if name == "state" and model in _STATES:
        return _STATES[model]
    if name in _VALUES:
        return _VALUES[name]
    kinds = typing.get_args(annotation) or (annotation,)
    if datetime in kinds:
        return "{since}" if name.endswith(("_gte", "_gt")) or name == "after" else "{until}"
    return "{truth}" if bool in kinds else "{digit}" if int in kinds else "x"


def fill(path: str, size: HistorySize, chance: random.Random) -> str:
    """The path with random values in place of the names in braces."""
    if "{" not in path:
        return path
    since = END - chance.randrange(DAY // 4, 10 * DAY)
    return path.format(
        dag=dag_name(chance.randrange(size.dags)),
        digits=f"{chance.randrange(size.dags):05d}"[:4],
        team=f"team_{chance.randrange(TEAMS)}",
        owner=f"owner_{chance.randrange(20)}",
        digit=chance.randrange(10),
        run_id=f"scheduled__{END - chance.randrange(size.runs_each) * DAY}",
        run_type=chance.choice(("manual", "scheduled", "backfill", "asset_triggered")),
        run_state=chance.choice(("success", "failed", "running", "queued")),
        pool=chance.choice(("default_pool", "pool_07", "pool_12")),
        seconds=chance.choice((1, 10, 30, 59, 500)),
        task_state=chance.choice(
            ("success", "failed", "running", "skipped", "upstream_failed", "queued", "up_for_retry", "deferred")
        ),
        key=chance.choice(("return_value", "none_such")),
        event=chance.choice(("run_created", "dag_paused", "run_ended", "none_such")),
        truth=chance.choice(("true", "false")),
        since=_write(since),
        end_of_since=_write(since + chance.choice((DAY // 24, DAY // 4, DAY))),
        before_since=_write(since - DAY // 8),
        hour=_write(END - chance.randrange(DAY // 3)),
        until=_write(END - chance.randrange(90 * DAY)),
    )


def _write(instant: int) -> str:
    return to_datetime(instant).isoformat().replace("+", "%2B").replace(":", "%3A")
