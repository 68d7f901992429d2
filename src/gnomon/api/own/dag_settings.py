"""Everything that a DAG is set to, and its versions with what each changed."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import (
    SentenceAnswer,
    SpannedAnswer,
    build_sentence,
    build_sentence_or_none,
    map_spans,
)
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.changes.actions.author_queries import forecast_author_runs
from gnomon.model.sentences.stored_sentences import read_sentence, read_text
from gnomon.model.spec import collect_edges
from gnomon.queries.report.listings import dag_list, import_problems
from gnomon.queries.report.listings.dag_limits import list_dag_limits
from gnomon.queries.report.listings.version_list import list_newest_versions
from gnomon.queries.report.next_runs import describe_family
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.storage.store.cross_dag import dag_edges

router = OperationRouter(prefix="/dags/{dag_id}", tags=["DAG"])
VERSIONS_MAX = 100


class DagLimitAnswer(Answer):
    """A limit on runs or tasks."""

    name: str
    value: float | None
    """None: no limit."""
    origin: str
    is_effective: bool


class TimetableAnswer(Answer):
    """The schedule of a DAG."""

    summary: SentenceAnswer
    description: SentenceAnswer | None
    family: SentenceAnswer
    path: str
    """The class."""
    data: dict[str, object]
    """Its stored parameters."""
    is_builtin: bool


class DagSettingsAnswer(SpannedAnswer):
    """What a DAG is set to."""

    dag_id: str
    error: str | None
    """Why no run of it is planned."""
    warnings: list[str]
    dialect: SentenceAnswer
    """The version of Airflow whose defaults it follows, and why."""
    timetable: TimetableAnswer
    limits: list[DagLimitAnswer]
    misfire: str
    overlap: str
    jitter_s: float
    catchup_window_s: float | None
    fail_fast: bool
    processes: SentenceAnswer
    """The kind of process in which its tasks run, and why."""
    callbacks: list[str]
    """The events of a run at which the DAG has callbacks of its own."""
    listeners: list[str]
    deadlines: int
    """The number of deadlines of its runs."""
    alerts: list[str]
    """The rules of alerts that its file gives: when, and to which channels."""
    depends_on: list[str]
    """A sentence for each dependency of its runs and tasks on other DAGs."""
    upstream_dags: list[str]
    downstream_dags: list[str]
    """The DAGs that wait for it. Those that the user may not see are in neither list."""
    tasks: int


class DagVersionRowAnswer(Answer):
    """A version of a DAG."""

    version: int
    created_at: dt.datetime
    is_newest: bool
    changes: list[SentenceAnswer]
    """What it changed in the version before."""
    bundle_name: str
    """The DAG bundle of its file; `dags-folder` is the DAG folder."""
    bundle_version: str | None
    """The version of the bundle that made it, for example a commit; null: the bundle has no versions."""


class DagVersionRowsAnswer(Answer):
    """The newest versions of a DAG, newest first."""

    versions: list[DagVersionRowAnswer]
    total: int


@router.get("/settings", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_dag_settings(dag_id: Id, context: Context, user: CurrentUser) -> DagSettingsAnswer:
    """What `gnomon dags show` prints, and the limits with where each comes from."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = dag_list.find_dag(tx, dag_id)
        warnings = import_problems.list_dag_warnings(tx, dag_id, dag.file)
        visible = VisibleDags(context, tx, user)
        downstream = sorted({edge.dag_id for edge in dag_edges.list_edges_on(tx, dag_id)} - {dag_id})
    shown = dag_list.show_dag(
        dag, context.clock.now(), warnings, lambda *arguments: forecast_author_runs(context.cfg, *arguments)
    )
    by_text = {read_text(warning): read_sentence(warning) for warning in warnings}
    sentences = [by_text.get(text, text) for text in shown.warnings]
    hide = build_name_filter(visible)
    spec = dag.spec
    upstream = sorted({edge.dependency.dag_id for edge in collect_edges(spec)} - {dag_id})
    return DagSettingsAnswer(
        dag_id=dag_id,
        error=None if shown.error is None else hide(word(shown.error)),
        warnings=[hide(word(sentence)) for sentence in sentences],
        dialect=build_sentence(dag_list.describe_dialect(spec), hide),
        timetable=TimetableAnswer(
            summary=build_sentence(summarize_schedule(spec), hide),
            description=build_sentence_or_none(describe_schedule(spec), hide),
            family=build_sentence(describe_family(spec.timetable), hide),
            path=spec.timetable.path,
            data=spec.timetable.data,
            is_builtin=spec.timetable.builtin,
        ),
        limits=[
            DagLimitAnswer(
                name=limit.name, value=limit.value, origin=word(limit.origin), is_effective=limit.is_effective
            )
            for limit in list_dag_limits(context.cfg, spec)
        ],
        misfire=shown.misfire,
        overlap=spec.overlap,
        jitter_s=spec.jitter_s,
        catchup_window_s=spec.catchup_window_s,
        fail_fast=spec.fail_fast,
        processes=build_sentence(dag_list.describe_process_kind(dag), hide),
        callbacks=list(spec.run_callbacks),
        listeners=list(spec.run_listeners),
        deadlines=len(spec.deadlines),
        alerts=[f"{rule.when} to {', '.join(rule.to)}" for rule in spec.alerts],
        depends_on=[hide(word(text)) for text in shown.depends_on],
        upstream_dags=[upstream_id for upstream_id in upstream if upstream_id in visible],
        downstream_dags=[downstream_id for downstream_id in downstream if downstream_id in visible],
        tasks=len(spec.tasks),
        spans=map_spans([shown.error, *sentences], hide),
    )


class DagRoleAnswer(Answer):
    """What the account may do on a DAG."""

    role: str
    """`viewer`, or a role that may change the DAG and its runs: `user`, `operator` or `admin`."""


@router.get("/role", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_dag_role(dag_id: Id, context: Context, user: CurrentUser) -> DagRoleAnswer:
    """The role of the account on a DAG: the one on everything, or that of a grant for this DAG or one of its tags."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        tags = dag_list.find_dag(tx, dag_id).spec.tags
    return DagRoleAnswer(role=str(user.identity.find_dag_role(dag_id, tags)))


@router.get("/versions", dependencies=[requires(Permission.READ, ApiResource.DAG_VERSION)])
def get_dag_version_rows(
    dag_id: Id, context: Context, user: CurrentUser, limit: Annotated[int, Query(ge=1, le=VERSIONS_MAX)] = 50
) -> DagVersionRowsAnswer:
    """The newest versions of the DAG, each with what it changed."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = dag_list.find_dag(tx, dag_id)
        rows, total = list_newest_versions(tx, dag, limit)
        hide = build_name_filter(VisibleDags(context, tx, user))
    return DagVersionRowsAnswer(
        versions=[
            DagVersionRowAnswer.model_validate(
                {
                    "version": row.version,
                    "created_at": row.created_at,
                    "is_newest": row.is_newest,
                    "changes": [build_sentence(change, hide) for change in row.changes],
                    "bundle_name": row.bundle_name,
                    "bundle_version": row.bundle_version,
                }
            )
            for row in rows
        ],
        total=total,
    )
