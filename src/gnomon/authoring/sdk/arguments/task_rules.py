"""The names of trigger rules and weight rules, with their old spellings; `gnomon.rules.decide.trigger_rules` has the rules."""

from __future__ import annotations

from enum import Enum


class TriggerRule(str, Enum):
    """The condition on the states of the direct upstream tasks under which a task runs (airflow-surface.md D.4)."""

    ALL_SUCCESS = "all_success"
    ALL_FAILED = "all_failed"
    ALL_DONE = "all_done"
    ALL_DONE_MIN_ONE_SUCCESS = "all_done_min_one_success"
    ALL_DONE_SETUP_SUCCESS = "all_done_setup_success"
    ONE_SUCCESS = "one_success"
    ONE_FAILED = "one_failed"
    ONE_DONE = "one_done"
    NONE_FAILED = "none_failed"
    NONE_SKIPPED = "none_skipped"
    ALWAYS = "always"
    NONE_FAILED_MIN_ONE_SUCCESS = "none_failed_min_one_success"
    ALL_SKIPPED = "all_skipped"

    DUMMY = "always"
    NONE_FAILED_OR_SKIPPED = "none_failed_min_one_success"

    @classmethod
    def all_triggers(cls) -> set[str]:
        """Return the values."""
        return {rule.value for rule in cls}

    @classmethod
    def is_valid(cls, trigger_rule: str) -> bool:
        """Return whether a rule has that name."""
        return trigger_rule in cls.all_triggers()

    @classmethod
    def _missing_(cls, value: object) -> TriggerRule | None:
        old = {"dummy": cls.ALWAYS, "none_failed_or_skipped": cls.NONE_FAILED_MIN_ONE_SUCCESS}
        return old.get(str(value).lower()) or {rule.value: rule for rule in cls}.get(str(value).lower())

    def __str__(self) -> str:
        return self.value


class WeightRule(str, Enum):
    """How the weights of other tasks add to the priority of a task."""

    DOWNSTREAM = "downstream"
    UPSTREAM = "upstream"
    ABSOLUTE = "absolute"

    @classmethod
    def all_weight_rules(cls) -> set[str]:
        """Return the values."""
        return {rule.value for rule in cls}

    @classmethod
    def is_valid(cls, weight_rule: str) -> bool:
        """Return whether a rule has that name."""
        return weight_rule in cls.all_weight_rules()

    def __str__(self) -> str:
        return self.value
