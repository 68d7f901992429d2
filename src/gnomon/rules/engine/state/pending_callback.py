"""A callback of a run in the engine state of its owner: from the step that queues it to the report of a worker that it ended."""

from __future__ import annotations

from gnomon.model.attempts import RunFacts
from gnomon.model.run_callbacks import CallbackRecord
from gnomon.rules.engine.state.task_instance import Dag


class PendingCallback:
    """One unfinished callback. Its run may have ended and left the memory, so it keeps the facts of the run."""

    __slots__ = ("dag", "facts", "generation", "record", "unentered_attempts")

    def __init__(self, record: CallbackRecord, dag: Dag, facts: RunFacts) -> None:
        self.record = record
        self.dag = dag
        self.facts = facts
        self.generation = 0
        """Increases with every change of its attempt; a timer of an earlier generation is void."""
        self.unentered_attempts = 0
        """Attempts in a row that were lost before they entered author code."""
