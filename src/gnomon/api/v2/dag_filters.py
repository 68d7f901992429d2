"""The parameters of lists of DAGs, the fields that they filter and order by, and the filters on what only the specs know."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from gnomon.api.common.filters import FilterField, read_instant
from gnomon.api.common.ordering import SortField
from gnomon.api.common.paging import PageParameters
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.v2.run_filters import read_run_state
from gnomon.queries.report.listings.dag_facts import VersionFacts
from gnomon.rules.assets.conditions import iter_leaves


class SpecFilters(PageParameters):
    """Filters on what only the specs know."""

    tags: list[str] = Field([])
    tags_match_mode: Literal["any", "all"] | None = None
    owners: list[str] = Field([])


class DagPatchFilters(SpecFilters):
    """The parameters of `PATCH /dags`."""

    update_mask: list[str] | None = None
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    exclude_stale: bool = True
    paused: bool | None = None


class DagFilters(SpecFilters):
    """The parameters of `GET /dags`."""

    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    dag_display_name_pattern: str | None = None
    dag_display_name_prefix_pattern: str | None = None
    exclude_stale: bool = True
    paused: bool | None = None
    has_import_errors: bool | None = None
    last_dag_run_state: str | None = None
    bundle_name: str | None = None
    bundle_version: str | None = None
    has_asset_schedule: bool | None = None
    asset_dependency: str | None = None
    dag_run_start_date_gte: datetime | None = None
    dag_run_start_date_gt: datetime | None = None
    dag_run_start_date_lte: datetime | None = None
    dag_run_start_date_lt: datetime | None = None
    dag_run_end_date_gte: datetime | None = None
    dag_run_end_date_gt: datetime | None = None
    dag_run_end_date_lte: datetime | None = None
    dag_run_end_date_lt: datetime | None = None
    dag_run_state: list[str] = Field([])
    order_by: list[str] = Field([])
    is_favorite: bool | None = None
    timetable_type: list[str] = Field([])


DAG_FIELDS = {
    "dag_id": FilterField("dag_id"),
    "paused": FilterField("is_paused"),
    "has_import_errors": FilterField("has_import_errors"),
    "last_dag_run_state": FilterField("last_run_state", read_run_state),
    "dag_run_state": FilterField("last_run_state", read_run_state),
    "dag_run_start_date": FilterField("last_run_start_date", read_instant),
    "dag_run_end_date": FilterField("last_run_end_date", read_instant),
}
"""By the name of a filter. Those on runs are about the newest run of the DAG."""
SPEC_FILTERS = (
    "tags",
    "tags_match_mode",
    "owners",
    "dag_display_name_pattern",
    "dag_display_name_prefix_pattern",
    "has_asset_schedule",
    "asset_dependency",
    "timetable_type",
)
NO_FILTERS = (
    "limit",
    "offset",
    "order_by",
    "exclude_stale",
    "bundle_name",
    "bundle_version",
    "is_favorite",
    "update_mask",
    *SPEC_FILTERS,
)
"""Parameters that `build_conditions` does not read."""
DAG_ORDER = {
    "dag_id": SortField("dag_id", is_text=True),
    "next_dagrun": SortField("next_dagrun", is_nullable=True),
    "state": SortField("last_run_state", is_nullable=True),
    "last_run_state": SortField("last_run_state", is_nullable=True),
    "start_date": SortField("last_run_start_date", is_nullable=True),
    "last_run_start_date": SortField("last_run_start_date", is_nullable=True),
}
"""By the name of an attribute in `order_by`."""
DAG_KEY = (SortField("dag_pk"),)


def matches_spec(facts: VersionFacts, filters: SpecFilters) -> bool:
    """Whether the spec of the DAG meets the filters on it."""
    return (
        _has_tags(facts, filters)
        and _has_owner(facts, filters)
        and (not isinstance(filters, DagFilters) or (_has_name(facts, filters) and _has_schedule(facts, filters)))
    )


def list_owners(facts: VersionFacts) -> list[str]:
    """The owners of the DAG, each once."""
    return list(dict.fromkeys(owner for name in facts.spec.owner.split(",") if (owner := name.strip())))


def _has_tags(facts: VersionFacts, filters: SpecFilters) -> bool:
    if not filters.tags:
        return True
    common_tags = set(facts.spec.tags).intersection(filters.tags)
    return len(common_tags) == len(set(filters.tags)) if filters.tags_match_mode == "all" else bool(common_tags)


def _has_owner(facts: VersionFacts, filters: SpecFilters) -> bool:
    return not filters.owners or bool(set(list_owners(facts)).intersection(filters.owners))


def _has_name(facts: VersionFacts, filters: DagFilters) -> bool:
    return matches_pattern(facts.display_name, filters.dag_display_name_pattern) and starts_with(
        facts.display_name, filters.dag_display_name_prefix_pattern
    )


def _has_schedule(facts: VersionFacts, filters: DagFilters) -> bool:
    spec = facts.spec
    if filters.has_asset_schedule is not None and filters.has_asset_schedule != (spec.asset_condition is not None):
        return False
    if filters.timetable_type and not {spec.timetable.path, spec.timetable.class_name}.intersection(
        filters.timetable_type
    ):
        return False
    if filters.asset_dependency is None:
        return True
    leaves = () if spec.asset_condition is None else iter_leaves(spec.asset_condition)
    names = [text for leaf in leaves for text in (getattr(leaf, "name", None), getattr(leaf, "uri", None)) if text]
    return any(filters.asset_dependency.lower() in name.lower() for name in names)
