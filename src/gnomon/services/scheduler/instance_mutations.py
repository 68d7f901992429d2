"""Asks `task_instance_mutation_hook` of the cluster policies about ready task instances: a timetable host answers, a later round applies.

A step asks about all instances of a run that became ready in it, in one question. Nothing of a question is stored before its
answer: after a take-over the instances are ready again, and the new owner asks.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from gnomon.author_code.timetable_host import (
    MUTATE_INSTANCES,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    check_answer,
    pack_arguments,
    unpack_value,
)
from gnomon.author_code.timetable_host.pending_requests import PendingRequests
from gnomon.ground import log
from gnomon.model.instance_mutation import MutationAnswer, MutationAnswers, MutationQuestion
from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, render, say
from gnomon.rules.engine.events import EngineEvent, InstancesMutated
from gnomon.rules.engine.state.engine_state import EngineState

_log = log.get_logger("scheduler.instance_mutations")


class InstanceMutations:
    """The questions without an answer. No method blocks."""

    def __init__(
        self, engine_state: EngineState, host: TimetableHost | None, create_pool: Callable[[str], None] | None = None
    ) -> None:
        """`create_pool`: makes a pool that the hook names and that does not exist; None: that is an error."""
        self._create_pool = create_pool
        self._engine_state = engine_state
        self._requests: PendingRequests[int, MutationQuestion] = PendingRequests(host)
        """By a number of its own: the question, or what remains of it after the answers so far."""
        self._numbers = itertools.count()
        self._refused: list[EngineEvent] = []
        """Answers to questions that nobody can be asked."""

    def ask(self, questions: Iterable[MutationQuestion]) -> None:
        """Send the questions of a committed step to the host; the answers come with `collect`."""
        for question in questions:
            if not self._requests.has_host:
                self._refused.append(self._refuse(question, render(say("hook_has_no_host"))))
                continue
            self._send(question)

    def _send(self, question: MutationQuestion) -> None:
        run = self._engine_state.runs.get(question.run.run_pk)
        if run is None:
            return
        record = run.dag.record
        self._requests.submit(
            next(self._numbers),
            question,
            TimetableRequest(
                function=MUTATE_INSTANCES,
                file=record.file,
                input_hash=record.input_hash,
                arguments=pack_arguments(question=question),
            ),
        )

    def collect(self) -> list[EngineEvent]:
        """An InstancesMutated for each response that has arrived; the rest of a question that is answered in part is asked again."""
        events, self._refused = self._refused, []
        events += [self._read_response(answered.subject, answered.response) for answered in self._requests.collect()]
        return events

    def _read_response(self, question: MutationQuestion, response: TimetableResponse) -> InstancesMutated:
        response = check_answer(response, MutationAnswers)
        if response.error is not None:
            return self._refuse(question, response.error)
        result: MutationAnswers = unpack_value(response, MutationAnswers)
        answers = tuple(map(self._check_pool, map(_check_bounds, result.answers[: len(question.instances)])))
        if not answers:
            return self._refuse(question, render(say("hook_returned_nothing")))
        self._log_errors(question, answers)
        remaining = question.instances[len(answers) :]
        if remaining:
            self._send(replace(question, instances=remaining))
        return InstancesMutated(question, answers)

    def _check_pool(self, answer: MutationAnswer) -> MutationAnswer:
        if isinstance(answer, str) or answer.pool is None:
            return answer
        if self._engine_state.get_pool(answer.pool).slots is None and self._create_pool is not None:
            self._create_pool(answer.pool)
        if self._engine_state.get_pool(answer.pool).slots is not None:
            return answer
        command = Command("pools set", (answer.pool, "SLOTS"))
        return render(say("hook_set_missing_pool", missing_pool=answer.pool, command=command))

    def _refuse(self, question: MutationQuestion, error: str) -> InstancesMutated:
        answers = (error,) * len(question.instances)
        self._log_errors(question, answers)
        return InstancesMutated(question, answers)

    def _log_errors(self, question: MutationQuestion, answers: Iterable[MutationAnswer]) -> None:
        """One line for each different error, with the number of its instances."""
        for error, count in Counter(answer for answer in answers if isinstance(answer, str)).items():
            _log.error(
                "instance_mutation_failed",
                dag_id=question.run.dag_id,
                run_id=question.run.run_id,
                instances=count,
                error=error,
            )

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect` without a wake-up; None if nothing is asked."""
        if self._refused:
            return now
        return self._requests.wake_at(now)

    def reset(self) -> None:
        """Forget the questions after the engine state was dropped: their answers are ignored."""
        self._requests.reset()
        self._refused = []


def _check_bounds(answer: MutationAnswer) -> MutationAnswer:
    """The answer, or why its numbers cannot be stored: its process runs code of authors."""
    if isinstance(answer, str):
        return answer
    for name in ("try_number", "pool_slots", "priority_weight"):
        number = getattr(answer, name)
        if number is not None and not -(2**31) <= number < 2**31:
            return render(say("hook_set_large_number", name=name))
    return answer
