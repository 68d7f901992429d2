"""Priority strategies of authors: classes whose `get_weight` computes the priority of a task when its file is parsed."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.model.errors.error_text import describe_error


class PriorityWeightStrategy(ABC):
    """Computes the priority of a task. A subclass defines `get_weight`; a plugin registers it in `priority_weight_strategies`."""

    @abstractmethod
    def get_weight(self, ti: Any) -> int:
        """The priority of the task instance; a greater one gets a worker first.

        Gnomon calls it once for each task, when the file is parsed, with a `WeighedTaskInstance`.
        """

    def serialize(self) -> dict[str, Any]:
        """The arguments of the strategy as JSON."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> PriorityWeightStrategy:
        """The strategy with those arguments."""
        return cls(**data)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, PriorityWeightStrategy)
            and self.serialize() == other.serialize()
        )

    def __hash__(self) -> int:
        return hash((type(self), repr(self.serialize())))


@dataclass(frozen=True)
class WeighedTaskInstance:
    """What a strategy knows of a task instance while its file is parsed: the task, before its first try, in no run."""

    task: Any
    try_number: int = 0
    map_index: int = -1
    run_id: str | None = None
    state: str | None = None

    @property
    def task_id(self) -> str:
        return str(self.task.task_id)

    @property
    def dag_id(self) -> str:
        return str(self.task.dag.dag_id)

    @property
    def max_tries(self) -> int:
        return int(self.task.retries)

    @property
    def priority_weight(self) -> int:
        return int(self.task.priority_weight)

    @property
    def pool(self) -> str:
        return str(self.task.pool)

    @property
    def queue(self) -> str:
        return str(self.task.queue)


def compute_strategy_weight(task: Any, rule: Any) -> int:
    """The priority of the task by its own strategy: an object, a class, or the import path of a class.

    Raises ValueError, which names the task and its line, when the strategy cannot be loaded, fails, or returns no integer.
    """
    where = f"Task {task.task_id!r}{format_location(task._location)}: weight_rule="
    strategy = _load_strategy(rule, where)
    name = type(strategy).__name__
    try:
        weight = strategy.get_weight(WeighedTaskInstance(task))
    except Exception as error:
        raise ValueError(
            f"{where}{name}.get_weight raised {describe_error(error)}. It is called when the file is parsed, with an object that "
            "has task, task_id, dag_id, try_number (0), max_tries, map_index, priority_weight, pool and queue; use these alone."
        ) from error
    if not isinstance(weight, int):
        raise ValueError(f"{where}{name}.get_weight returned {weight!r}; return an integer.")
    return int(weight)


def _load_strategy(rule: Any, where: str) -> Any:
    strategy = rule
    if isinstance(rule, str):
        module, _, name = rule.rpartition(".")
        try:
            strategy = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise ValueError(
                f"{where}{rule!r} cannot be loaded ({error}). Give the strategy object, or the import path of its class."
            ) from error
    if isinstance(strategy, type):
        strategy = strategy()
    if not callable(getattr(strategy, "get_weight", None)):
        raise ValueError(
            f"{where}{rule!r} has no get_weight(ti). Derive its class from airflow.task.priority_strategy.PriorityWeightStrategy."
        )
    return strategy
