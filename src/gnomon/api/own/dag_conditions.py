"""Which DAGs a list or a timeline of Gnomon's own API is about: filters that can each be turned round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.context import ApiContext
from gnomon.api.policies import User
from gnomon.api.v2.dag_filters import list_owners
from gnomon.api.v2.run_filters import read_run_state
from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import RUN_STATE_CODES, DagRunState
from gnomon.queries.report.activity.current_work import LATE_AFTER_S
from gnomon.queries.report.activity.run_timeline import find_folder
from gnomon.queries.report.listings.dag_facts import FactsOfAll, VersionFacts
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts.favorite_dags import list_favorites
from gnomon.storage.store.pages.dag_pages import find_dag_keys
from gnomon.storage.store.pages.page_query import Condition, Operator

VALUES_MAX = 100
NO_STATE = "none"
"""The state of a DAG without a run, in a filter."""
_Text = Annotated[str, StringConstraints(max_length=500)]
_Texts = Annotated[list[_Text], Field(max_length=VALUES_MAX)]


class DagConditions(BaseModel):
    """Filters that all hold. Of several values one must fit, in a parameter that ends with `_not` none; a false filter is the opposite of a true one."""

    model_config = ConfigDict(extra="forbid")
    search: _Text | None = None
    """A part of the id or of the display name, without regard to case."""
    tag: _Texts = Field([])
    tag_not: _Texts = Field([])
    tags_match_mode: Literal["any", "all"] = "any"
    owner: _Texts = Field([])
    owner_not: _Texts = Field([])
    state: _Texts = Field([])
    """States of the newest run; `none`: the DAG has no run."""
    state_not: _Texts = Field([])
    schedule: _Texts = Field([])
    """Class names of timetables."""
    schedule_not: _Texts = Field([])
    folder: _Texts = Field([])
    """Folders, each with those in it."""
    folder_not: _Texts = Field([])
    dag_id: _Texts = Field([])
    dag_id_not: _Texts = Field([])
    paused: bool | None = None
    unscheduled: bool | None = None
    """The DAG has no schedule: runs are created manually only."""
    late: bool | None = None
    """The next run is overdue and has not been created."""
    warning: bool | None = None
    """The file has warnings, or the schedule or a dependency of the DAG has an error."""
    import_error: bool | None = None
    favorite: bool | None = None


def find_timetable_type(facts: VersionFacts) -> str:
    """The class name of the timetable."""
    return facts.spec.timetable.class_name


def is_unscheduled(facts: VersionFacts) -> bool:
    """Runs are created manually only: neither by a timetable nor by asset events."""
    return not facts.spec.timetable.can_be_scheduled and facts.spec.asset_condition is None


def build_dag_conditions(
    context: ApiContext, tx: Transaction, visible: VisibleDags, user: User, filters: DagConditions
) -> list[Condition]:
    """The conditions of `dag_pages` that DAGs meet which a file defines, the user may see, and the filters want."""
    return [*build_shared_conditions(context, tx, visible, user, filters), *list_facet_conditions(filters)]


def list_facet_conditions(filters: DagConditions) -> list[Condition]:
    """The conditions of the facets, of which a list has the numbers: the state of the newest run, and paused."""
    paused = [] if filters.paused is None else [Condition("is_paused", Operator.EQUAL, filters.paused)]
    return [*paused, *_choose_states(filters)]


def fits_facets(filters: DagConditions, state: DagRunState | None, *, is_paused: bool) -> bool:
    """Whether DAGs with a newest run in this state, None without a run, meet the same conditions."""
    name = NO_STATE if state is None else state.value
    return (
        filters.paused in (None, is_paused)
        and (not filters.state or name in filters.state)
        and name not in filters.state_not
    )


def build_shared_conditions(
    context: ApiContext, tx: Transaction, visible: VisibleDags, user: User, filters: DagConditions
) -> list[Condition]:
    """The conditions without those of the facets."""
    conditions = [Condition("is_active", Operator.EQUAL, True), *visible.list_conditions(), *_list_flags(filters)]
    conditions += _choose("dag_id", filters.dag_id, filters.dag_id_not)
    if filters.favorite is not None:
        conditions.append(_choose_keys(list_favorites(tx, user.name), is_in=filters.favorite))
    if filters.late is not None:
        conditions.append(_choose_keys(_find_late(tx, context.clock.now()), is_in=filters.late))
    if _asks_spec(filters):
        conditions.append(_choose_keys(_match_specs(context.facts.find_all(tx), filters), is_in=True))
    return conditions


def choose_dags(
    context: ApiContext, tx: Transaction, visible: VisibleDags, user: User, filters: DagConditions
) -> frozenset[int] | None:
    """The keys of these DAGs; None when that is every DAG that a file defines."""
    conditions = build_dag_conditions(context, tx, visible, user, filters)
    return None if len(conditions) == 1 else frozenset(find_dag_keys(tx, conditions))


def _choose_states(filters: DagConditions) -> list[Condition]:
    """A DAG without a run has the state None, which is in no state of a run."""
    conditions = (
        [Condition("last_run_state", Operator.IN, [read_run_state(name) for name in filters.state])]
        if filters.state
        else []
    )
    if filters.state_not:
        others = {read_run_state(name) for name in filters.state_not}
        conditions.append(
            Condition(
                "last_run_state",
                Operator.IN,
                [code for code in (*RUN_STATE_CODES.values(), None) if code not in others],
            )
        )
    return conditions


def _list_flags(filters: DagConditions) -> list[Condition]:
    flags = {"has_import_errors": filters.import_error, "has_warnings": filters.warning}
    return [Condition(field, Operator.EQUAL, value) for field, value in flags.items() if value is not None]


def _choose(field: str, values: Sequence[object], others: Sequence[object]) -> list[Condition]:
    conditions = [Condition(field, Operator.IN, list(values))] if values else []
    return [*conditions, Condition(field, Operator.NOT_IN, list(others))] if others else conditions


def _choose_keys(keys: Sequence[int], *, is_in: bool) -> Condition:
    return Condition("dag_pk", Operator.IN if is_in else Operator.NOT_IN, list(keys))


def _find_late(tx: Transaction, now: Instant) -> list[int]:
    return find_dag_keys(tx, [Condition("awaited_since", Operator.LESS, now - int(LATE_AFTER_S * SECOND))])


_OF_SPEC = (
    "search",
    "tag",
    "tag_not",
    "owner",
    "owner_not",
    "schedule",
    "schedule_not",
    "folder",
    "folder_not",
    "unscheduled",
)


def _asks_spec(filters: DagConditions) -> bool:
    return any(getattr(filters, name) not in (None, [], "") for name in _OF_SPEC)


def _match_specs(facts: FactsOfAll, filters: DagConditions) -> list[int]:
    is_of_folder = bool(filters.folder or filters.folder_not)
    text = (filters.search or "").casefold()
    return [
        dag_pk
        for dag_pk, version_facts in facts.by_dag.items()
        if dag_pk in facts.active
        and _has_text(version_facts, text)
        and (filters.unscheduled is None or is_unscheduled(version_facts) == filters.unscheduled)
        and _fits_tags(version_facts, filters)
        and _fits(list_owners(version_facts), filters.owner, filters.owner_not)
        and _fits([find_timetable_type(version_facts)], filters.schedule, filters.schedule_not)
        and (not is_of_folder or _fits(_list_folders(facts.files[dag_pk]), filters.folder, filters.folder_not))
    ]


def _list_folders(file: str) -> list[str]:
    """The folder of the file, and those around it."""
    parts = find_folder(file).split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _has_text(facts: VersionFacts, text: str) -> bool:
    return not text or text in facts.spec.dag_id.casefold() or text in facts.display_name.casefold()


def _fits_tags(facts: VersionFacts, filters: DagConditions) -> bool:
    tags = facts.spec.tags
    has_all = filters.tags_match_mode == "any" or set(filters.tag) <= set(tags)
    return has_all and _fits(tags, filters.tag, filters.tag_not)


def _fits(names: Sequence[str], values: Sequence[str], others: Sequence[str]) -> bool:
    return (not values or not set(values).isdisjoint(names)) and set(others).isdisjoint(names)
