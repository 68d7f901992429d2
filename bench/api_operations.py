"""Every list of the API with its orders and its usual filters: which requests `bench/api_lists.py` makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.api_filters import list_filter_paths
from bench.api_history import DAY, END, GRID_DAG, HistorySize, dag_name
from gnomon.api.v2.dag_filters import DAG_ORDER
from gnomon.api.v2.event_logs import _ORDER as EVENT_ORDER
from gnomon.api.v2.event_logs import _ORDERS_WITH_INDEX as EVENT_INDEXED
from gnomon.api.v2.hitl_details import _ORDER as HITL_ORDER
from gnomon.api.v2.run_filters import RUN_ORDER, RUN_ORDERS_WITH_INDEX
from gnomon.api.v2.task_instance_filters import ONLY_IN_SPECS, ORDERS_WITH_INDEX, TASK_INSTANCE_ORDER
from gnomon.api.v2.xcoms import _ORDER as XCOM_ORDER
from gnomon.api.v2.xcoms import _ORDERS_WITH_INDEX as XCOM_INDEXED
from gnomon.model.instants import to_datetime

V2, OWN = "/api/v2", "/api/gnomon/v1"
ALL_RUNS = f"{V2}/dags/~/dagRuns"
ALL_TASKS = f"{V2}/dags/~/dagRuns/~/taskInstances"
ALL_XCOMS = f"{V2}/dags/~/dagRuns/~/taskInstances/~/xcomEntries"


@dataclass(frozen=True, slots=True)
class ListRequest:
    """One request that is measured. `follows`: also pages that are further, by its cursors."""

    path: str
    account: str = "admin"
    body: dict[str, object] | None = None
    follows: bool = False

    @property
    def operation(self) -> str:
        """The list, without filters."""
        path = re.sub(r"dag_\d+|grid_\d+|\{dag\}", "DAG", self.path.partition("?")[0].replace("/api/", ""))
        return f"{'POST ' if self.body is not None else ''}{re.sub(r'dagRuns/(?!~)[^/]+', 'dagRuns/RUN', path) if not path.endswith('dagRuns/list') else path}"

    @property
    def name(self) -> str:
        """As the report names it."""
        query = self.path.replace("/api/", "").replace("%2B00%3A00", "")
        return f"{'POST ' if self.body is not None else ''}{query}{'' if self.body is None else ' ' + str(self.body)}{'' if self.account == 'admin' else f' as {self.account}'}"


def list_requests(size: HistorySize, run_id: str) -> Iterator[ListRequest]:
    """All requests. `run_id`: a run of the DAG with the number 8."""
    yield from _list_dag_requests(size)
    yield from _list_run_requests()
    yield from _list_task_requests(run_id)
    yield from _list_other_requests(run_id)
    yield from (ListRequest(path) for path in list_filter_paths())


def _both(name: str) -> tuple[str, str]:
    return name, f"-{name}"


def _day(days_ago: int) -> str:
    return to_datetime(END - days_ago * DAY).isoformat().replace("+", "%2B").replace(":", "%3A")


def _list_dag_requests(size: HistorySize) -> Iterator[ListRequest]:
    base = f"{V2}/dags?limit=100"
    for account in ("admin", "few", "half"):
        yield ListRequest(base, account)
        yield ListRequest(f"{V2}/dagStats", account)
        yield ListRequest(f"{V2}/dagTags", account)
    for name in DAG_ORDER:
        for order in _both(name):
            yield ListRequest(f"{base}&order_by={order}")
    yield ListRequest(f"{base}&offset={size.dags - 200}")
    for query in (
        "tags=team_3",
        "owners=owner_3",
        "paused=false",
        "dag_id_pattern=0123",
        "dag_id_prefix_pattern=dag_0012",
        "last_dag_run_state=failed",
        "dag_run_state=running",
        "has_import_errors=true",
        f"dag_run_start_date_gte={_day(1)}",
        "dag_display_name_pattern=0123",
        "exclude_stale=false",
    ):
        yield ListRequest(f"{base}&{query}")


def _list_run_requests() -> Iterator[ListRequest]:
    base = f"{ALL_RUNS}?limit=100"
    for account in ("admin", "few", "half"):
        for order in ("id", "-id", "-run_after", "-start_date", "-end_date", "-logical_date"):
            yield ListRequest(f"{base}&order_by={order}", account, follows=order == "-run_after")
        yield ListRequest(f"{base}&state=failed&order_by=-run_after", account)
        yield ListRequest(f"{base}&state=running&order_by=-start_date", account)
    for name, key in RUN_ORDER.items():
        for order in _both(name):
            if key.name in RUN_ORDERS_WITH_INDEX:
                yield ListRequest(f"{base}&order_by={order}")
            else:
                yield ListRequest(f"{V2}/dags/{dag_name(8)}/dagRuns?limit=100&order_by={order}")
    for name in ("run_after", "start_date", "end_date", "logical_date"):
        yield ListRequest(f"{base}&order_by=-{name}&cursor=", follows=True)
        yield ListRequest(f"{base}&{name}_gte={_day(1)}&order_by=-{name}")
        yield ListRequest(f"{base}&{name}_gte={_day(20)}&{name}_lt={_day(19)}")
    yield ListRequest(f"{base}&updated_at_gte={_day(1)}")
    yield ListRequest(f"{base}&offset=10000&order_by=-run_after")
    for query in (
        "state=queued",
        "state=success",
        "state=failed",
        "run_type=manual",
        "run_type=backfill",
        "dag_version=1",
        "dag_version=7",
        "dag_id_pattern=0123",
        "dag_id_prefix_pattern=dag_0012",
        "run_id_pattern=manual",
        "run_id_prefix_pattern=manual__17",
        "triggering_user_name_pattern=user_3",
        "duration_gte=500",
        "partition_key_pattern=x",
    ):
        yield ListRequest(f"{base}&{query}&order_by=-run_after")
    one = f"{V2}/dags/{dag_name(8)}/dagRuns?limit=100"
    for order in ("id", "-run_after", "-start_date", "state"):
        yield ListRequest(f"{one}&order_by={order}")
    yield ListRequest(
        f"{ALL_RUNS}/list",
        body={"dag_ids": [dag_name(n) for n in range(3, 60)], "order_by": "-run_after", "page_limit": 100},
    )
    yield ListRequest(
        f"{ALL_RUNS}/list", body={"states": ["running", "queued"], "order_by": "-run_after", "page_limit": 100}
    )


def _list_task_requests(run_id: str) -> Iterator[ListRequest]:
    base = f"{ALL_TASKS}?limit=100"
    for account in ("admin", "few", "half"):
        for query in (
            "order_by=id",
            "order_by=-id",
            "order_by=-run_after",
            "state=running",
            "state=failed&order_by=-id",
            "state=upstream_failed",
            "state=skipped",
            "state=success",
        ):
            yield ListRequest(f"{base}&{query}", account)
    for name in TASK_INSTANCE_ORDER:
        if name not in ONLY_IN_SPECS:
            for order in _both(name):
                where = (
                    ALL_TASKS
                    if TASK_INSTANCE_ORDER[name].name in ORDERS_WITH_INDEX
                    else f"{V2}/dags/{dag_name(8)}/dagRuns/~/taskInstances"
                )
                yield ListRequest(f"{where}?limit=100&order_by={order}")
    yield ListRequest(f"{base}&order_by=-run_after&cursor=", follows=True)
    yield ListRequest(f"{base}&order_by=-id&cursor=", follows=True)
    for query in (
        "state=up_for_retry",
        "state=queued",
        f"start_date_gte={_day(1)}",
        f"run_after_gte={_day(1)}",
        f"end_date_gte={_day(1)}",
        f"logical_date_gte={_day(2)}&state=failed",
        "pool=pool_07",
        "pool=pool_12",
        "try_number=2",
        "try_number=9",
        "duration_gte=50",
        "map_index=3",
        "task_id=task_3",
        "dag_id_pattern=0123",
        "run_id_pattern=manual",
        "offset=10000",
        f"updated_at_gte={_day(1)}",
    ):
        yield ListRequest(f"{base}&{query}")
    one = f"{V2}/dags/{dag_name(8)}/dagRuns"
    yield ListRequest(f"{one}/{run_id}/taskInstances")
    yield ListRequest(f"{one}/{run_id}/taskInstances/task_3/tries")
    yield ListRequest(f"{one}/{run_id}/taskInstances/task_3/dependencies")
    yield ListRequest(f"{one}/~/taskInstances?limit=100&order_by=-start_date")
    yield ListRequest(f"{one}/~/taskInstances?limit=100&state=failed")
    yield ListRequest(f"{V2}/dags/{GRID_DAG}/dagRuns/~/taskInstances?limit=100&order_by=-duration")
    yield ListRequest(
        f"{ALL_TASKS}/list",
        body={"dag_ids": [dag_name(n) for n in range(3, 60)], "state": ["failed"], "page_limit": 100},
    )


def _list_other_requests(run_id: str) -> Iterator[ListRequest]:
    for account in ("admin", "few", "half"):
        for path in (ALL_XCOMS, f"{V2}/dags/~/dagRuns/~/hitlDetails", f"{V2}/eventLogs", f"{V2}/importErrors"):
            yield ListRequest(f"{path}?limit=100", account)
        yield ListRequest(f"{V2}/eventLogs?limit=100&order_by=-when", account)
        yield ListRequest(f"{OWN}/work", account)
    for path, orders in (
        (ALL_XCOMS, XCOM_ORDER),
        (f"{V2}/dags/~/dagRuns/~/hitlDetails", HITL_ORDER),
        (f"{V2}/eventLogs", EVENT_ORDER),
    ):
        for name, key in orders.items():
            long = {ALL_XCOMS: XCOM_INDEXED, f"{V2}/eventLogs": EVENT_INDEXED}.get(path)
            if long is None or key.name in long:
                yield ListRequest(f"{path}?limit=100&order_by=-{name}")
    for query in (
        "event=run_created",
        "event=dag_paused",
        "event=none_such",
        "owner=api:user_3",
        "owner=nobody",
        f"after={_day(2)}",
        f"dag_id={dag_name(8)}",
        "dag_id_pattern=0123",
    ):
        yield ListRequest(f"{V2}/eventLogs?limit=100&order_by=-when&{query}")
    for query in ("response_received=false", "response_received=true", "subject_search=Release"):
        yield ListRequest(f"{V2}/dags/~/dagRuns/~/hitlDetails?limit=100&{query}")
    for query in ("xcom_key=return_value", "xcom_key=none_such", f"run_after_gte={_day(1)}", "task_id_pattern=task_0"):
        yield ListRequest(f"{ALL_XCOMS}?limit=100&{query}")
    run = f"{V2}/dags/{dag_name(8)}/dagRuns/{run_id}/taskInstances"
    yield ListRequest(f"{run}/task_0/xcomEntries")
    yield ListRequest(f"{run}/task_0/xcomEntries/return_value")
    yield ListRequest(f"{V2}/backfills?dag_id={dag_name(0)}")
    yield ListRequest(f"{V2}/backfills/17")
    for path in (
        "pools",
        "variables",
        "connections",
        "jobs",
        "plugins",
        "providers",
        "importErrors?order_by=-timestamp",
        "dagWarnings",
    ):
        yield ListRequest(f"{V2}/{path}{'&' if '?' in path else '?'}limit=100")
    yield ListRequest(f"{V2}/dags/{dag_name(8)}/dagVersions")
    yield ListRequest(f"{V2}/dags/{dag_name(8)}/tasks")
    for path in (
        "services",
        f"dags/{dag_name(8)}/explain",
        f"dags/{dag_name(8)}/grid",
        f"dags/{GRID_DAG}/grid?runs=25",
    ):
        yield ListRequest(f"{OWN}/{path}")
