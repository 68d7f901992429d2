"""Baselines: how promised ends stand, what decides one, how its prediction has changed, and changes of stored ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from gnomon.api.access.hidden_names import HIDDEN, build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import (
    CommandAnswer,
    Hide,
    SentenceAnswer,
    build_command,
    build_sentence,
    build_sentence_or_none,
)
from gnomon.api.common.shapes import Answer
from gnomon.api.context import ApiContext, Context
from gnomon.api.own.operation_access import ApiDags
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.changes.actions.baseline_changes import describe_definition
from gnomon.changes.actions.baseline_fields import BaselineFields, find_default_zone
from gnomon.changes.operations import baseline_operations as operations
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.ground.config import read_calendar_tables
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.accounts import Role
from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord, KeyStep
from gnomon.model.instants import Instant, to_datetime
from gnomon.queries.report.activity.baseline_list import (
    BaselineHistory,
    IsVisible,
    StandingBaseline,
    find_baseline,
    list_baselines,
    list_versions,
)
from gnomon.queries.report.activity.baseline_sentences import describe_costly_step, list_acts, name_step
from gnomon.storage.store.alert_records import baseline_states

router = OperationRouter(prefix="/baselines", tags=["Baseline"])
_READ = requires(Permission.READ, ApiResource.DAG)


class BaselineAnswer(Answer):
    """A baseline at the due time that matters now: the one that is broken and not done, else the next one; null fields while there is no prediction."""

    name: str
    of: list[str]
    """What must be done: `dag_id` or `dag_id.task_id`."""
    by: str
    """The time of day, `HH:MM`."""
    days: int
    """So many days after the day of the runs."""
    timezone: str
    weekdays: list[int]
    """Days of the runs on which it holds, Monday is 0; empty: all."""
    margin: float
    """Seconds before the due time at which the end is wanted."""
    at_risk: float
    """The probability of a breach above which it is at risk."""
    calendar: str
    """Of these days only the business days of this calendar; empty: all."""
    owner: str
    to: list[str]
    """Channels that are told of it, beside those of rules."""
    priority: list[int]
    """The least and the most priority weight of tasks on its key path while it is at risk; empty: their own."""
    place: str
    """Where it is written: a file and line, a DAG, or the command that changes a stored one."""
    is_stored: bool
    """It can be changed here: it stands in no file."""
    is_changeable: bool
    """It is stored, and the account may change it."""
    level: BaselineLevel | None
    due_at: datetime | None
    breach: float | None
    """The probability that it is not done at the due time."""
    end_p50: datetime | None
    """Null: in half of the futures it does not end."""
    end_p90: datetime | None
    ended_at: datetime | None
    """When it was done."""
    slack: float | None
    """Seconds from the end in nine of ten futures to the due time; negative: it is too late then."""
    since: datetime | None
    """Since when it has this level."""
    predicted_at: datetime | None
    """When the state was read from which this was predicted."""
    is_stale: bool
    """No monitor judges it now: it may stand otherwise."""
    sentence: SentenceAnswer


class BaselinesAnswer(Answer):
    """The baselines whose DAGs the user may see, in the order of gnomon.toml."""

    baselines: list[BaselineAnswer]
    faults: list[str]
    """Why some cannot be judged; empty for an account that does not see all DAGs, since a fault names files."""


class KeyStepAnswer(Answer):
    """One task of the key path, with its predicted times. Of a DAG that the user may not see there are only the times."""

    dag_id: str
    run_id: str | None
    task: str | None
    """`task_id` or `task_id[map_index]`."""
    task_id: str | None
    map_index: int
    start: datetime
    end: datetime
    waited: float
    """Seconds between the end of what came before it and its start."""
    usual: float | None
    """Seconds, the median of its recorded durations; null: there are too few."""
    latest_start: datetime | None
    """Later, and the baseline breaks."""
    trouble: str
    """`failed`: its last try has failed; `slow`: it runs longer than nine of ten of its earlier tries; else empty."""


class DueTimeAnswer(Answer):
    """A due time, and how the baseline stood or stands at it."""

    due_at: datetime
    level: BaselineLevel
    breach: float
    end_p50: datetime | None
    end_p90: datetime | None
    ended_at: datetime | None


class PredictionAnswer(Answer):
    """What was predicted of the due time that matters now."""

    at: datetime
    level: BaselineLevel
    breach: float
    end_p50: datetime | None
    end_p90: datetime | None


class BaselineDetailsAnswer(BaselineAnswer):
    """All that is known of one baseline."""

    samples: int
    """The futures that were drawn; 0: all was over."""
    unfinished: int
    """Its runs that have not ended, those to come included."""
    costly: SentenceAnswer | None
    """The step of the key path that costs the most time."""
    costly_step: int | None
    """Its place in the key path."""
    acts: list[CommandAnswer]
    """Commands that show what delays it."""
    key_path: list[KeyStepAnswer]
    """Of the futures in which it ends last: the tasks that decide when."""
    due_times: list[DueTimeAnswer]
    """The newest 60, newest first."""
    predictions: list[PredictionAnswer]
    """Oldest first; one that hardly differs from the one before is not kept."""
    assumptions: list[str]


class BaselinePatchBody(BaseModel):
    """What is set of a baseline. What is left out stays as it is; of a new baseline it is the default of gnomon.toml."""

    model_config = ConfigDict(extra="forbid")
    of: list[str] | None = None
    """What must be done: `dag_id` or `dag_id.task_id`."""
    by: str | None = None
    """The time of day, "07:00" or "07:00 +1 day"."""
    days: int | None = None
    """So many days after the day of the runs."""
    timezone: str | None = None
    """Default: [core] default_timezone."""
    margin: float | None = None
    """Seconds."""
    at_risk: float | None = None
    weekdays: list[int] | None = None
    """Monday is 0; empty: all."""
    calendar: str | None = None
    """A name of [calendars]; empty: all days."""
    owner: str | None = None
    to: list[str] | None = None
    """Names of [alerts.channels]."""
    priority: list[int] | None = None
    """The least and the most priority weight of tasks on the key path while it is at risk; empty: their own."""
    version: int | None = None
    """Of a change: refused if there is a newer one; see `/history`."""


class BaselineBody(BaselinePatchBody):
    """A new baseline: `name`, `of` and `by` are needed."""

    name: str


class BaselineVersionAnswer(Answer):
    """One version of the definition of a stored baseline."""

    version: int
    at: datetime
    by: str
    """`api:NAME` or `cli:NAME`."""
    definition: dict[str, Any] | None
    """What was set; null: it was deleted."""


class BaselineVersionsAnswer(Answer):
    """Newest first; empty for a baseline that stands in a file."""

    versions: list[BaselineVersionAnswer]


@router.get("", dependencies=[_READ])
def get_baselines(context: Context, user: CurrentUser) -> BaselinesAnswer:
    """The baselines of gnomon.toml, each with the due time that matters now."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        standing = list_baselines(tx, context.cfg, context.clock.now(), visible.shows_end)
        head = baseline_states.find_forecast_head(tx) if visible.is_all else None
        hide = build_name_filter(visible)
        may_change = VisibleDags(context, tx, user, Role.USER).shows_end
    faults = () if head is None else head.promises.faults
    return BaselinesAnswer(
        baselines=[BaselineAnswer(**_build_fields(each, hide, may_change)) for each in standing],
        faults=[word(fault) for fault in faults],
    )


@router.get("/{name}", dependencies=[_READ])
def get_baseline(name: Id, context: Context, user: CurrentUser) -> BaselineDetailsAnswer:
    """One baseline with its key path, its due times and the predictions of the one that matters now."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        is_visible = visible.shows_end
        history = find_baseline(tx, context.cfg, name, context.clock.now(), is_visible)
        hide = build_name_filter(visible)
        may_change = VisibleDags(context, tx, user, Role.USER).shows_end
    fields = _build_fields(history.standing, hide, may_change)
    return BaselineDetailsAnswer(**fields, **_build_details(history, visible, hide))


@router.post("", status_code=201, dependencies=[requires(Permission.CREATE, ApiResource.BASELINE)])
def post_baseline(body: BaselineBody, context: Context, user: CurrentUser) -> BaselineDetailsAnswer:
    """Make a baseline. The account must be permitted to change each DAG that it names."""
    operations.create.function(_open_scope(context, user), body.name, _read_fields(body))
    return get_baseline(body.name, context, user)


@router.patch("/{name}", dependencies=[requires(Permission.EDIT, ApiResource.BASELINE)])
def patch_baseline(name: Id, body: BaselinePatchBody, context: Context, user: CurrentUser) -> BaselineDetailsAnswer:
    """Change a stored baseline. The monitor judges it anew within seconds."""
    operations.edit.function(_open_scope(context, user), name, _read_fields(body), body.version)
    return get_baseline(name, context, user)


@router.delete("/{name}", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.BASELINE)])
def delete_baseline(name: Id, context: Context, user: CurrentUser) -> Response:
    """Delete a stored baseline, with its coming due times. Those that were met or broken stay for 90 days, for one that gets the name again."""
    operations.delete.function(_open_scope(context, user), name)
    return Response(status_code=204)


@router.get("/{name}/history", dependencies=[_READ])
def get_baseline_history(name: Id, context: Context, user: CurrentUser) -> BaselineVersionsAnswer:
    """Who changed the definition of a stored baseline, and what it was."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        versions = list_versions(tx, context.cfg, name, visible.shows_end)
    return BaselineVersionsAnswer(
        versions=[
            BaselineVersionAnswer(
                version=each.version,
                at=to_datetime(each.changed_at),
                by=each.changed_by,
                definition=describe_definition(each.spec),
            )
            for each in versions
        ]
    )


choices_router = OperationRouter(prefix="/baselineChoices", tags=["Baseline"])


class BaselineChoicesAnswer(Answer):
    """What gnomon.toml has that a baseline may name."""

    calendars: list[str]
    channels: list[str]
    timezone: str
    """That of a baseline which names none."""


@choices_router.get("", dependencies=[requires(Permission.CREATE, ApiResource.BASELINE)])
def get_baseline_choices(context: Context) -> BaselineChoicesAnswer:
    """The names of calendars and channels, for a form."""
    home = context.cfg.home
    return BaselineChoicesAnswer(
        calendars=list(read_calendar_tables(home)),
        channels=list(read_alert_settings(home).channels),
        timezone=find_default_zone(context.cfg),
    )


def _open_scope(context: ApiContext, user: User) -> OperationScope:
    return OperationScope(context.act_as(user), context.database, ApiDags(context, user), is_remote=True)


def _read_fields(body: BaselinePatchBody) -> BaselineFields:
    fields = body.model_dump(exclude={"name", "version", "margin"})
    return BaselineFields(**fields, margin_s=body.margin)


def _build_fields(standing: StandingBaseline, hide: Hide, may_change: IsVisible) -> dict[str, Any]:
    spec, record = standing.spec, standing.record
    forecast = None if record is None else record.forecast
    return {
        "name": spec.name,
        "of": list(spec.of),
        "by": spec.by,
        "days": spec.days,
        "timezone": spec.timezone,
        "weekdays": list(spec.weekdays),
        "margin": spec.margin_s,
        "at_risk": spec.at_risk,
        "calendar": spec.calendar,
        "owner": spec.owner,
        "to": list(spec.to),
        "priority": list(spec.priority or ()),
        "place": spec.shown_place,
        "is_stored": spec.is_stored,
        "is_changeable": spec.is_stored and all(may_change(text) for text in spec.of),
        "level": None if record is None else record.level,
        "due_at": None if record is None else to_datetime(record.due_at),
        "breach": None if forecast is None else forecast.breach,
        "end_p50": None if forecast is None else _show(forecast.end_p50),
        "end_p90": None if forecast is None else _show(forecast.end_p90),
        "ended_at": None if forecast is None else _show(forecast.ended_at),
        "slack": None if forecast is None else forecast.slack_s,
        "since": None if record is None else to_datetime(record.changed_at),
        "predicted_at": None if forecast is None else to_datetime(forecast.at),
        "is_stale": standing.is_stale,
        "sentence": build_sentence(standing.sentence, hide),
    }


def _build_details(history: BaselineHistory, visible: VisibleDags, hide: Hide) -> dict[str, Any]:
    record = history.standing.record
    forecast = BaselineForecast(due_at=0, at=0) if record is None else record.forecast
    acts = (build_command(act, hide) for act in list_acts(forecast))
    return {
        "samples": forecast.samples,
        "unfinished": forecast.unfinished,
        "costly": build_sentence_or_none(describe_costly_step(forecast), hide),
        "costly_step": forecast.costly,
        "acts": [act for act in acts if act is not None],
        "key_path": [_build_step(step, visible) for step in forecast.key_path],
        "due_times": _build_due_times(history.records),
        "predictions": [
            PredictionAnswer(
                at=to_datetime(prediction.at),
                level=prediction.level,
                breach=prediction.breach,
                end_p50=_show(prediction.end_p50),
                end_p90=_show(prediction.end_p90),
            )
            for prediction in history.predictions
        ],
        "assumptions": [hide(word(text)) for text in forecast.assumptions],
    }


def _build_step(step: KeyStep, visible: VisibleDags) -> KeyStepAnswer:
    name, is_visible = name_step(step), step.dag_id in visible
    return KeyStepAnswer(
        dag_id=step.dag_id if is_visible else HIDDEN,
        run_id=step.run_id if is_visible else None,
        task=step.task if is_visible else None,
        task_id=name.task_id if is_visible else None,
        map_index=name.map_index if is_visible else -1,
        start=to_datetime(step.start),
        end=to_datetime(step.end),
        waited=step.waited_s,
        usual=step.usual_s,
        latest_start=_show(step.latest_start),
        trouble=step.trouble,
    )


def _build_due_times(records: Sequence[BaselineRecord]) -> list[DueTimeAnswer]:
    return [
        DueTimeAnswer(
            due_at=to_datetime(record.due_at),
            level=record.level,
            breach=record.forecast.breach,
            end_p50=_show(record.forecast.end_p50),
            end_p90=_show(record.forecast.end_p90),
            ended_at=_show(record.forecast.ended_at),
        )
        for record in records
    ]


def _show(instant: Instant | None) -> datetime | None:
    return None if instant is None else to_datetime(instant)
