"""What a run or a task instance waits for, as data: conditions that are met or not, and the act that would meet one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, render


class ReleaseAct(Enum):
    """What would meet a condition."""

    UNPAUSE_DAG = "unpause_dag"
    SET_POOL = "set_pool"
    RAISE_LIMIT = "raise_limit"
    MARK_TASK = "mark_task"
    CLEAR_TASK = "clear_task"
    CLEAR_RUN = "clear_run"
    RELEASE_RUN = "release_run"
    ANSWER = "answer"
    START_SERVICE = "start_service"


@dataclass(frozen=True, slots=True)
class ReleaseTarget:
    """An act, and what it acts on. Fields that the act does not need are None."""

    act: ReleaseAct
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int = UNMAPPED
    upstream_dag_id: str | None = None
    """For RELEASE_RUN: the DAG that is no longer waited for."""
    pool: str | None = None
    slots: int | None = None
    """For SET_POOL: the slots that would be enough now."""
    option: str | None = None
    """For RAISE_LIMIT: the argument of the DAG or the task, or `[section] option`."""
    service: str | None = None
    """For START_SERVICE: the command after `gnomon`."""


@dataclass(frozen=True, slots=True)
class WaitCondition:
    """One condition, and those that it consists of."""

    kind: str
    is_met: bool
    sentence: Sentence
    since: Instant | None = None
    """Since when it is met, or waited for; None when that is not known."""
    release: ReleaseTarget | None = None
    """None: it is met, or time or other work meets it."""
    children: tuple[WaitCondition, ...] = ()
    longer: Sentence | None = None
    """The sentence where it stands alone in a list: with the command for which the page has a button or a link, or with its subject. None: the same."""

    @property
    def text(self) -> str:
        """The words of the sentence."""
        return render(self.sentence)

    @property
    def told(self) -> Sentence:
        """The sentence of `explain`."""
        return self.longer or self.sentence


def list_unmet(conditions: Iterable[WaitCondition]) -> list[WaitCondition]:
    """Those that are not met."""
    return [condition for condition in conditions if not condition.is_met]
