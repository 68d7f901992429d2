"""Asks partition mappers of authors about the queues of their DAGs: a timetable host answers, a later round creates the runs.

The events stay in the queue until the runs that consume them are committed, so an answer that is lost is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.author_code.timetable_host import (
    PARTITION_ANSWERS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    check_answer,
    pack_arguments,
    unpack_value,
)
from gnomon.author_code.timetable_host.pending_requests import PendingRequests
from gnomon.ground import log
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import render, say
from gnomon.rules.assets.leaf_mappers import PartitionAnswers, list_rule_classes
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.services.scheduler.settings import PLAN_RETRY_S
from gnomon.storage.store import Database
from gnomon.storage.store.asset_records.partition_runs import read_partition_question

_log = log.get_logger("scheduler.author_partitions")
NO_HOST = say("mapper_has_no_host")


@dataclass(slots=True)
class _PendingQuestion:
    version_pk: int
    ask_again: bool = False
    """True if events may have arrived since."""


@dataclass(frozen=True, slots=True)
class AnsweredQueue:
    """What the mappers of a DAG said."""

    version_pk: int
    answers: PartitionAnswers
    error: str | None
    """Why there are no answers, or what author code did wrong for some keys; None without an error."""


class AuthorPartitionQuestions:
    """The questions without an answer: at most one for each DAG, so that a mapper that hangs is called once."""

    def __init__(self, db: Database, engine_state: EngineState, host: TimetableHost | None, max_keys: int) -> None:
        """`max_keys`: most partitions of one event."""
        self._db = db
        self._engine_state = engine_state
        self._max_keys = max_keys
        self._requests: PendingRequests[int, _PendingQuestion] = PendingRequests(host)
        """By dag_pk."""
        self._retries: dict[int, Instant] = {}
        """By dag_pk: when to ask again after an error."""
        self._failed: dict[int, int] = {}
        """dag_pk to version_pk of those whose host gave no answer at all: they are not asked before the time in `_retries`."""

    def reset(self) -> None:
        """Forgets the questions after the engine state was dropped: their answers are ignored."""
        self._requests.reset()
        self._retries, self._failed = {}, {}

    def ask(self, dag: Dag) -> AnsweredQueue | None:
        """Sends the queue of the DAG to the host, unless it has to wait; the answer comes with `collect`. Not None: there is no host."""
        dag_pk, version_pk = dag.record.dag_pk, dag.graph.version_pk
        if not self._requests.has_host:
            return AnsweredQueue(version_pk, PartitionAnswers(), render(NO_HOST))
        if self._failed.get(dag_pk) == version_pk:
            return None
        pending = self._requests.get(dag_pk)
        if pending is not None and pending.version_pk == version_pk:
            pending.ask_again = True
            return None
        with self._db.read() as tx:
            question = read_partition_question(tx, dag_pk, self._max_keys)
        self._retries.pop(dag_pk, None)
        self._failed.pop(dag_pk, None)
        spec, record = dag.graph.spec, dag.record
        self._requests.submit(
            dag_pk,
            _PendingQuestion(version_pk),
            TimetableRequest(
                function=PARTITION_ANSWERS,
                file=record.file,
                input_hash=record.input_hash,
                author_classes=tuple(list_rule_classes(spec.partition_rules)),
                arguments=pack_arguments(
                    rules=spec.partition_rules, condition=spec.asset_condition, question=question, dag_file=record.file
                ),
            ),
        )
        return None

    def collect(self, now: Instant) -> tuple[dict[int, AnsweredQueue], list[int]]:
        """The answers that have arrived, by dag_pk, and the dag_pks that have to be asked again, now or after an error."""
        answered_queues: dict[int, AnsweredQueue] = {}
        again = self._take_due_retries(now)
        for answered in self._requests.collect():
            dag_pk, pending = answered.key, answered.subject
            dag = self._engine_state.dags.get(dag_pk)
            if dag is None or dag.graph.version_pk != pending.version_pk:
                again.append(dag_pk)
                continue
            if pending.ask_again:
                again.append(dag_pk)
            answered_queues[dag_pk] = self._read_response(dag, answered.response, now)
        return answered_queues, again

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect` without a wake-up; None if nothing is asked."""
        answer_at = self._requests.wake_at(now)
        times = list(self._retries.values())
        return min(times if answer_at is None else [*times, answer_at], default=None)

    def _read_response(self, dag: Dag, response: TimetableResponse, now: Instant) -> AnsweredQueue:
        dag_pk, version_pk = dag.record.dag_pk, dag.graph.version_pk
        response = check_answer(response, PartitionAnswers)
        if response.error is not None:
            self._failed[dag_pk] = version_pk
            answered = AnsweredQueue(version_pk, PartitionAnswers(), response.error)
        else:
            answers: PartitionAnswers = unpack_value(response, PartitionAnswers)
            answered = AnsweredQueue(version_pk, answers, "; ".join(answers.errors) or None)
        if answered.error is not None:
            self._retries[dag_pk] = now + int(PLAN_RETRY_S * SECOND)
            _log.error("partition_mapper_failed", dag_id=dag.record.dag_id, error=answered.error)
        return answered

    def _take_due_retries(self, now: Instant) -> list[int]:
        due = [dag_pk for dag_pk, at in self._retries.items() if at <= now]
        for dag_pk in due:
            del self._retries[dag_pk]
            self._failed.pop(dag_pk, None)
        return due
