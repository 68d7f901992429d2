"""Simulations: what would happen in the coming days with changes, as a job whose answer is compared with the unchanged future."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec
from pydantic import Field
from starlette.responses import Response

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.sentence_answers import Hide, SpannedAnswer, map_spans
from gnomon.api.common.shapes import Answer, Body
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.changes.scenarios.scenario_changes import Change
from gnomon.changes.scenarios.scenario_check import check_scenario, list_candidate_ids
from gnomon.changes.scenarios.scenario_document import read_json
from gnomon.changes.scenarios.scenario_times import find_span, resolve_moment
from gnomon.ground.config import Config
from gnomon.model.accounts import Role
from gnomon.model.instants import SECOND, iso
from gnomon.model.sentences import render, say
from gnomon.model.simulations import (
    ComparedBaseline,
    ComparedPool,
    ComparedRun,
    JudgedExpectation,
    LoadSpan,
    SimulationAnswer,
    SimulationJob,
    SimulationState,
    WorldTimes,
)
from gnomon.model.spec import DagSpec
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import pools
from gnomon.storage.store.alert_records import simulation_jobs
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.dag_pages import list_newest_versions

router = OperationRouter(prefix="/simulations", tags=["Simulation"])
SAMPLES, SAMPLES_MAX = 20, 200
KEPT_HOURS, KEPT_JOBS = 24, 50
"""How long an ended simulation is kept, and how many are."""
RETRY_AFTER = "10"
LOST_S = 60.0
"""A process that has said nothing for so long is gone."""
_ACTING = ("set", "delay", "pool", "schedule", "fail", "freeze", "length", "parallelism", "expect")


class SimulationBody(Body):
    """What is simulated."""

    scenario: dict[str, Any]
    """The changes, as a scenario file of `gnomon simulate` has them: `{"for": "1d", "set": {"load.copy": "+50%"}, "pool": {"etl": 4}}`. The keys `dags` and
    `skip_broken` are for folders. `from` is now or later, and the end at most 31 days from now."""
    samples: int = Field(SAMPLES, ge=1, le=SAMPLES_MAX)
    """How many futures of each world are drawn."""


class WorldTimesAnswer(Answer):
    """When a run probably begins and ends."""

    run_after: datetime
    start_p50: datetime | None
    end_p50: datetime | None
    """Null: in half of the futures it does not end."""
    end_p90: datetime | None
    failed_share: float


class ComparedRunAnswer(Answer):
    """A run without the changes and with them; of one that appears or vanishes one side is null."""

    dag_id: str
    run_id: str
    run_type: str
    change: str
    """`appears`, `vanishes`, `moves`, `ends later`, `ends earlier`, `does not end`, `ends now`, `other state`, `starts later`, `starts earlier`; empty: none."""
    before: WorldTimesAnswer | None
    after: WorldTimesAnswer | None
    shift: float | None
    """Seconds by which it ends later; negative: earlier."""
    reasons: list[str]


class ComparedBaselineAnswer(Answer):
    """A due time of a baseline; a level is null where no run belongs to it."""

    name: str
    of: list[str]
    due_at: datetime
    level_before: str | None
    level_after: str | None
    end_before: datetime | None
    end_after: datetime | None
    breach_before: float
    breach_after: float


class LoadSpanAnswer(Answer):
    """The slots that are taken and waited for, at most at once, in half of the futures."""

    start: datetime
    end: datetime
    taken: int
    waiting: int


class ComparedPoolAnswer(Answer):
    """A pool; slots are null without a limit."""

    pool: str
    slots_before: int | None
    slots_after: int | None
    load_before: list[LoadSpanAnswer]
    load_after: list[LoadSpanAnswer]


class JudgedExpectationAnswer(Answer):
    """An expectation of the scenario, and the shares of the futures in which it is broken."""

    text: str
    broken_before: float
    broken_after: float
    why: str | None


class SimulationAnswerBody(SpannedAnswer):
    """Both worlds side by side: the DAGs that the user may see."""

    at: datetime
    since: datetime
    until: datetime
    samples: int
    runs: list[ComparedRunAnswer]
    """Those that are different first."""
    omitted_runs: int
    baselines: list[ComparedBaselineAnswer]
    pools: list[ComparedPoolAnswer]
    expectations: list[JudgedExpectationAnswer]
    notes: list[str]
    assumptions: list[str]


class SimulationJobAnswer(Answer):
    """A simulation, how far it is, and its answer when it is done."""

    simulation_id: str
    state: Literal["running", "done", "failed", "cancelled"]
    created_at: datetime
    ended_at: datetime | None
    seconds: float
    """From the request until now, or until its end."""
    samples_done: int
    samples: int
    scenario: dict[str, Any]
    error: str | None
    answer: SimulationAnswerBody | None


@router.post(
    "",
    status_code=202,
    response_model=SimulationJobAnswer,
    dependencies=[requires(Permission.CREATE, ApiResource.SIMULATION)],
)
def start_simulation(body: SimulationBody, context: Context, user: CurrentUser) -> Response:
    """Begin a simulation in a process of its own. 400: the scenario names what is not there; 429: as many as may are computed now."""
    now = context.clock.now()
    if context.start_simulation is None:
        raise Refusal(403, say("simulations_are_off"))
    require_place(context.cfg, 0)
    changes = read_json(body.scenario)
    if not any(change.key in _ACTING for change in changes):
        raise Refusal(400, say("simulation_has_no_change", example='{"set": {"load.copy": "+50%"}}'))
    find_span(changes, now, lambda moment: resolve_moment(moment, context.cfg))
    _check_names(context, user, changes)
    simulation_id = uuid.uuid4().hex
    with context.database.write() as tx:
        simulation_jobs.end_lost_jobs(tx, now - int(LOST_S * SECOND), render(say("simulation_lost_its_server")), now)
        simulation_jobs.remove_old_jobs(tx, now - KEPT_HOURS * 3600 * SECOND, KEPT_JOBS)
        require_place(context.cfg, simulation_jobs.count_running(tx))
        scenario = json.dumps(body.scenario, ensure_ascii=True)
        simulation_jobs.add_job(tx, simulation_id, _name_account(user), scenario, body.samples, now)
    try:
        context.simulations.start(simulation_id)
    except OSError as error:
        with context.database.write() as tx:
            why = say("simulation_process_ended", error=str(error))
            simulation_jobs.put_error(tx, simulation_id, 0, render(why), now)
    return _answer(context, user, simulation_id, 202)


@router.get(
    "/{simulation_id}",
    response_model=SimulationJobAnswer,
    dependencies=[requires(Permission.READ, ApiResource.SIMULATION)],
)
def get_simulation(simulation_id: Id, context: Context, user: CurrentUser) -> Response:
    """A simulation of the user's own account, at whichever api-server it was started."""
    return _answer(context, user, simulation_id, 200)


@router.delete(
    "/{simulation_id}",
    response_model=SimulationJobAnswer,
    dependencies=[requires(Permission.DELETE, ApiResource.SIMULATION)],
)
def cancel_simulation(simulation_id: Id, context: Context, user: CurrentUser) -> Response:
    """End a simulation that runs; one that has ended stays as it is."""
    with context.database.write() as tx:
        _find_job(tx, user, simulation_id)
        is_cancelled = simulation_jobs.cancel_job(tx, simulation_id, context.clock.now())
    if is_cancelled and context.start_simulation is not None:
        context.simulations.end(simulation_id)
    return _answer(context, user, simulation_id, 200)


def require_place(cfg: Config, running: int) -> None:
    """Return if one more simulation may be computed beside those that are. Raises Refusal: 403 where none may be, 429 where enough are."""
    most = cfg.integer("forecast", "simulations")
    if not most:
        raise Refusal(403, say("simulations_are_off"))
    if running >= most:
        raise Refusal(429, say("simulations_are_many", count=running), {"Retry-After": RETRY_AFTER})


def _name_account(user: User) -> str:
    """The account, which no later one of the same name is."""
    return f"{user.identity.account_pk} {user.name}"


def _find_job(tx: Transaction, user: User, simulation_id: str) -> SimulationJob:
    job = simulation_jobs.find_job(tx, simulation_id)
    if job is None or job.account != _name_account(user):
        raise Refusal(404, say("simulation_does_not_exist", name=simulation_id, duration=KEPT_HOURS * 3600.0))
    return job


def _check_names(context: ApiContext, user: User, changes: list[Change]) -> None:
    """Raises UserError for a name that is not there, or that the user may not see: both are told in the same words."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        candidates = sorted(list_candidate_ids(changes))
        versions = [version for version in list_newest_versions(tx, candidates) if version.is_active]
        specs: dict[str, DagSpec] = {
            spec.dag_id: spec
            for spec in group_state.load_specs(tx, [version.version_pk for version in versions]).values()
            if spec.dag_id in visible
        }
        names = _list_pools(context, tx, user, visible)
    check_scenario(changes, specs, names)


def _list_pools(context: ApiContext, tx: Transaction, user: User, visible: VisibleDags) -> set[str]:
    """The pools that the user may know of: all, or those of the DAGs that he may see."""
    if user.identity.everywhere >= Role.VIEWER:
        return {pool.name for pool in pools.list_pools(tx)}
    facts = context.facts.find_all(tx)
    return {name for each in facts.by_dag.values() if each.spec.dag_id in visible for name in each.pools}


def _answer(context: ApiContext, user: User, simulation_id: str, status: int) -> Response:
    now = context.clock.now()
    with context.database.read() as tx:
        job = _find_job(tx, user, simulation_id)
        answer = simulation_jobs.find_answer(tx, simulation_id) if job.state is SimulationState.DONE else None
        visible = VisibleDags(context, tx, user)
    hide = build_name_filter(visible)
    state, error, ended_at = job.state, job.error, job.ended_at
    if state is SimulationState.RUNNING and job.beat_at < now - int(LOST_S * SECOND):
        state, error, ended_at = SimulationState.FAILED, render(say("simulation_lost_its_server")), job.beat_at
    body = {
        "simulation_id": job.simulation_id,
        "state": state.value,
        "created_at": iso(job.created_at),
        "ended_at": iso(ended_at),
        "seconds": max(0.0, ((now if ended_at is None else ended_at) - job.created_at) / SECOND),
        "samples_done": job.samples_done,
        "samples": job.samples,
        "scenario": json.loads(job.scenario),
        "error": None if error is None else hide(word(error)),
        "answer": None if answer is None else _build_answer(answer, visible, hide),
    }
    return Response(msgspec.json.encode(body), status, media_type="application/json")


def _build_answer(answer: SimulationAnswer, visible: VisibleDags, hide: Hide) -> dict[str, Any]:
    """The fields of SimulationAnswerBody, written without validation: an answer has thousands of runs."""
    runs = [run for run in answer.runs if run.dag_id in visible]
    whys = [each.why for each in answer.expectations if each.why is not None and each.dag_id in visible]
    texts = dict.fromkeys([*answer.notes, *answer.assumptions, *whys, *(why for run in runs for why in run.reasons)])
    return {
        "at": iso(answer.at),
        "since": iso(answer.since),
        "until": iso(answer.until),
        "samples": answer.samples,
        "runs": [_build_run(run, hide) for run in runs],
        "omitted_runs": answer.omitted_runs,
        "baselines": [_build_baseline(each) for each in answer.baselines if all(map(visible.shows_end, each.of))],
        "pools": [_build_pool(pool) for pool in answer.pools] if visible.is_all else [],
        "expectations": [_build_expectation(each, hide) for each in answer.expectations if each.dag_id in visible],
        "notes": [hide(word(text)) for text in answer.notes],
        "assumptions": [hide(word(text)) for text in answer.assumptions],
        "spans": {
            text: [span.model_dump(mode="json") for span in spans] for text, spans in map_spans(texts, hide).items()
        },
    }


def _build_run(run: ComparedRun, hide: Hide) -> Mapping[str, Any]:
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "run_type": run.run_type,
        "change": run.change,
        "before": _build_times(run.before),
        "after": _build_times(run.after),
        "shift": run.shift_s,
        "reasons": [hide(word(text)) for text in run.reasons],
    }


def _build_times(times: WorldTimes | None) -> Mapping[str, Any] | None:
    if times is None:
        return None
    instants = {name: iso(getattr(times, name)) for name in ("run_after", "start_p50", "end_p50", "end_p90")}
    return {**instants, "failed_share": times.failed_share}


def _build_baseline(baseline: ComparedBaseline) -> Mapping[str, Any]:
    return {
        "name": baseline.name,
        "of": baseline.of,
        "due_at": iso(baseline.due_at),
        "level_before": baseline.level_before,
        "level_after": baseline.level_after,
        "end_before": iso(baseline.end_before),
        "end_after": iso(baseline.end_after),
        "breach_before": baseline.breach_before,
        "breach_after": baseline.breach_after,
    }


def _build_pool(pool: ComparedPool) -> Mapping[str, Any]:
    return {
        "pool": pool.pool,
        "slots_before": pool.slots_before,
        "slots_after": pool.slots_after,
        "load_before": [_build_span(span) for span in pool.load_before],
        "load_after": [_build_span(span) for span in pool.load_after],
    }


def _build_span(span: LoadSpan) -> Mapping[str, Any]:
    return {"start": iso(span.start), "end": iso(span.end), "taken": span.taken, "waiting": span.waiting}


def _build_expectation(each: JudgedExpectation, hide: Hide) -> Mapping[str, Any]:
    return {
        "text": each.text,
        "broken_before": each.broken_before,
        "broken_after": each.broken_after,
        "why": None if each.why is None else hide(word(each.why)),
    }
