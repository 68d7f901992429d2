"""Why a DAG, a run or a task instance is not running, or how it ended: the sentences of `gnomon explain`."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.sentence_answers import Hide, SentenceAnswer, SpanAnswer, build_sentence
from gnomon.api.common.shapes import Answer
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.changes.actions.author_queries import ask_partition_mappers
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import to_datetime
from gnomon.model.records import DagRecord
from gnomon.model.wait_conditions import ReleaseAct, WaitCondition
from gnomon.queries.report.explanations import dag_explanation, run_explanation, task_explanation
from gnomon.queries.report.explanations.engine_state_reading import build_limits
from gnomon.queries.report.explanations.explanation import Explanation, ToldSentence
from gnomon.queries.report.explanations.schedule_switch import describe_schedule_switch
from gnomon.queries.report.explanations.skipped_slots import explain_slot, parse_instant
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run, list_task_instances
from gnomon.rules.assets.leaf_mappers import PartitionAnswers, list_rule_classes
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Explanation"])


class ReleaseAnswer(Answer):
    """The act that would meet a condition, and what it acts on; null fields are not part of it."""

    act: ReleaseAct
    dag_id: str | None
    run_id: str | None
    task_id: str | None
    map_index: int
    upstream_dag_id: str | None
    """Of `release_run`: the DAG that is no longer waited for."""
    pool: str | None
    slots: int | None
    """Of `set_pool`: the slots that would be enough now."""
    option: str | None
    """Of `raise_limit`: the argument of the DAG or the task, or `[section] option`."""
    service: str | None
    """Of `start_service`: the command after `gnomon`."""


class ConditionAnswer(Answer):
    """A condition, met or not, and those that it consists of."""

    kind: str
    met: bool
    text: str
    spans: list[SpanAnswer]
    """The text in pieces."""
    code: str
    arguments: dict[str, Any]
    since: datetime | None
    """Since when it is met, or waited for; null when that is not known."""
    release: ReleaseAnswer | None
    """Null: it is met, time or other work meets it, or the act is on a DAG that the user may not see."""
    children: list[ConditionAnswer]


class ToldAnswer(SentenceAnswer):
    """A sentence of an explanation."""

    is_condition: bool
    """True: one of the conditions says it."""


class ExplanationAnswer(Answer):
    """Why something is not running, or how it ended."""

    state: str | None
    """The state of the run or the task instance, None without one; of a DAG `active`, `paused` or `deleted`."""
    sentences: list[str]
    """Empty: nothing prevents it from running. A DAG that the user may not see has no name in them."""
    coded: list[ToldAnswer]
    """The same sentences, with code, arguments and spans."""
    conditions: list[ConditionAnswer]
    """Every condition that was checked. Empty for what has ended well, and for a slot without a run."""


@router.get("/explain", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def explain_dag(dag_id: Id, context: Context, user: CurrentUser) -> ExplanationAnswer:
    """Why the DAG has no run, or why its unfinished runs wait."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        if not any(list_rule_classes(dag.spec.partition_rules)):
            return _answer_about_dag(context, tx, user, dag, None)
    answers = ask_partition_mappers(context.cfg, context.database, dag)  # in no transaction: an author's code answers
    with context.database.read() as tx:
        return _answer_about_dag(context, tx, user, find_dag(tx, dag_id), answers)


@router.get("/dagRuns/{dag_run_id}/explain", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def explain_run(dag_id: Id, dag_run_id: Id, context: Context, user: CurrentUser) -> ExplanationAnswer:
    """Why the run has not ended, or how it ended. With the logical date or the due time of a slot as run id: why the slot has no run."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag, now = find_dag(tx, dag_id), context.clock.now()
        at = parse_instant(dag_run_id)
        run = find_run(tx, dag, dag_run_id) if at is None else dag_runs.find_stored_run(tx, dag_id, dag_run_id)
        if run is not None:
            explanation = run_explanation.explain_run(tx, dag, run, _read_limits(context), now)
            return _answer(context, tx, user, run.state.value, explanation)
        assert at is not None
        slot = Explanation()
        slot.note(*explain_slot(tx, dag, at, now))
        return _answer(context, tx, user, None, slot)


@router.get(
    "/dagRuns/{dag_run_id}/taskInstances/{task_id}/explain",
    dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)],
)
def explain_task_instance(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    context: Context,
    user: CurrentUser,
    map_index: Annotated[int, Query(ge=UNMAPPED, lt=2**31)] = UNMAPPED,
) -> ExplanationAnswer:
    """Why the task instance has not ended, or how it ended. `map_index`: that of an instance of a mapped task."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, dag_run_id)
        limits, now = _read_limits(context), context.clock.now()
        explanation = task_explanation.explain_task(tx, dag, run, task_id, map_index, limits, now)
        state = next(
            (row.state for row in list_task_instances(tx, dag, run, task_id) if row.map_index == map_index), None
        )
        return _answer(context, tx, user, state, explanation)


def _answer_about_dag(
    context: ApiContext, tx: Transaction, user: User, dag: DagRecord, answers: PartitionAnswers | PlanningError | None
) -> ExplanationAnswer:
    explanation = Explanation()
    explanation.note(*describe_schedule_switch(context.cfg, dag))
    explanation.include(dag_explanation.explain_dag(tx, dag, _read_limits(context), context.clock.now(), answers))
    state = "deleted" if not dag.active else "paused" if dag.paused else "active"
    return _answer(context, tx, user, state, explanation)


def _read_limits(context: ApiContext) -> EngineLimits:
    return build_limits(context.cfg)


def _answer(
    context: ApiContext, tx: Transaction, user: User, state: str | None, explanation: Explanation
) -> ExplanationAnswer:
    visible = VisibleDags(context, tx, user)
    hide = build_name_filter(visible)
    coded = [_build_told(sentence, hide) for sentence in explanation.told]
    return ExplanationAnswer(
        state=state,
        sentences=[sentence.text for sentence in coded],
        coded=coded,
        conditions=[build_condition(condition, visible, hide) for condition in explanation.conditions],
    )


def _build_told(entry: ToldSentence, hide: Hide) -> ToldAnswer:
    sentence = build_sentence(entry.sentence, hide)
    return ToldAnswer(is_condition=entry.is_condition, **dict(sentence))


def build_condition(condition: WaitCondition, visible: Container[str], hide: Hide) -> ConditionAnswer:
    """The condition without the names of hidden DAGs: an act on one is left out."""
    release, sentence = condition.release, build_sentence(condition.sentence, hide)
    if release is not None and any(
        dag_id is not None and dag_id not in visible for dag_id in (release.dag_id, release.upstream_dag_id)
    ):
        release = None
    return ConditionAnswer(
        kind=condition.kind,
        met=condition.is_met,
        text=sentence.text,
        spans=sentence.spans,
        code=sentence.code,
        arguments=sentence.arguments,
        since=None if condition.since is None else to_datetime(condition.since),
        release=None if release is None else ReleaseAnswer(**asdict(release)),
        children=[build_condition(child, visible, hide) for child in condition.children],
    )
