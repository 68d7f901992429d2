"""What `task_instance_mutation_hook` of the cluster policies is asked, and what it answers, for the ready task instances of one run."""

from __future__ import annotations

import msgspec

from gnomon.model.attempts import InstanceOverrides, RunFacts


class MutationTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all instances of a task have in common."""

    task_id: str
    operator: str
    owner: str
    queue: str
    pool: str
    pool_slots: int
    priority_weight: int
    """The effective priority: that of the admission, by the weight rule."""
    executor: str | None = None
    retries: int = 0
    trigger_rule: str = "all_success"


class MutationInstance(msgspec.Struct, frozen=True, array_like=True):
    """One task instance. As an array, because a question may have thousands of them."""

    task: int
    """Its place in `MutationQuestion.tasks`."""
    map_index: int
    try_number: int
    """Tries so far: 0 before the first, as in Airflow when the instance is created."""
    max_tries: int


class MutationQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The question about the instances of one run that became ready in one step."""

    number: int
    """Increases with every question of a scheduler. An instance takes the answer to its last question alone."""
    run: RunFacts
    tasks: tuple[MutationTask, ...]
    instances: tuple[MutationInstance, ...]


MutationAnswer = InstanceOverrides | str
"""What the hook set for one instance; a text: why there is no answer, as a clause that follows "because"."""


class MutationAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to the first instances of a question, in their order."""

    answers: tuple[MutationAnswer, ...]
    ends_process: bool = False
    """The last call hung: no other request may be answered by its process."""
