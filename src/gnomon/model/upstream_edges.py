"""The dependencies of a DAG on other DAGs as the server stores them: edges with a number that is stable across versions."""

from __future__ import annotations

import zlib
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from gnomon.model.after import After


class DependencySpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`model.after.After` as plain data; `previous` 0 stands for the same period."""

    dag_id: str
    task_id: str | None = None
    previous: int = 0
    take: str = "all"
    empty_interval: str = "carry"
    on_failure: str = "wait"
    on_absent: str = "ignore"
    max_wait_s: float | None = None
    zone: str | None = None


class Edge(NamedTuple):
    """One dependency of a DAG, or of one of its tasks."""

    number: int
    """Computed from the dependency: the same dependency has the same number in every version of the DAG."""
    dependency: DependencySpec
    task_id: str | None
    """The task that waits while the rest of the run goes on; None: the whole run."""

    @property
    def label(self) -> str:
        """The upstream DAG or task as users write it: `dag` or `dag.task`."""
        upstream = self.dependency
        return upstream.dag_id if upstream.task_id is None else f"{upstream.dag_id}.{upstream.task_id}"


def to_dependency_spec(after: After) -> DependencySpec:
    """The dependency as plain data. Its zone, if any, must be a name."""
    assert after.zone is None or isinstance(after.zone, str)
    return DependencySpec(
        dag_id=after.dag_id,
        task_id=after.task_id,
        previous=after.back,
        take=after.take,
        empty_interval=after.empty_interval,
        on_failure=after.on_failure,
        on_absent=after.on_absent,
        max_wait_s=None if after.max_wait is None else after.max_wait.total_seconds(),
        zone=after.zone,
    )


def to_after(spec: DependencySpec) -> After:
    """The inverse of `to_dependency_spec`, for the resolver."""
    arguments: dict[str, Any] = msgspec.structs.asdict(spec)
    seconds = arguments.pop("max_wait_s")
    arguments["previous"] = spec.previous or None
    return After(max_wait=None if seconds is None else timedelta(seconds=seconds), **arguments)


def compute_edge_number(dependency: DependencySpec, task_id: str | None) -> int:
    """A number of 31 bits. `max_wait` does not enter, because it does not change which slots the edge waits for."""
    text = msgspec.json.encode((task_id, msgspec.structs.replace(dependency, max_wait_s=None)))
    return zlib.crc32(text) & 0x7FFFFFFF
