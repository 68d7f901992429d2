"""How many of the upstream keys of a roll-up are enough for its run."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Self

from gnomon.model.sentences import render, say
from gnomon.rules.partitions.part_codec import PartitionPart, builtin_part


@dataclass(frozen=True, slots=True)
class PartitionSatisfaction:
    """The answer of a wait policy."""

    satisfied: bool
    unreachable: bool
    """True: it can never be satisfied, whatever arrives."""
    unreachable_reason: str | None
    """Why; None unless it is unreachable."""

    def __post_init__(self) -> None:
        if self.unreachable != (self.unreachable_reason is not None):
            raise ValueError("unreachable_reason must be set when unreachable is True, and None when it is False")


class WaitPolicy(PartitionPart):
    """Says whether a run may start, by the number of keys that it needs and of those that have arrived."""

    def is_satisfied(self, matched: int, expected: int) -> bool:
        """Whether `matched` of `expected` keys are enough."""
        raise NotImplementedError

    def is_unreachable(self, expected: int) -> bool:
        """Whether all `expected` keys are still not enough."""
        raise NotImplementedError

    def is_satisfied_by_keys(self, *, matched: Set[str], expected: Set[str]) -> PartitionSatisfaction:
        """The answer for these keys; keys in `matched` that are not expected do not count."""
        size = len(expected)
        unreachable = self.is_unreachable(size)
        reason = render(say("wait_policy_is_unreachable", rule_name=repr(self), number=size)) if unreachable else None
        return PartitionSatisfaction(
            self.is_satisfied(matched=len(matched & expected), expected=size), unreachable, reason
        )


@builtin_part
class WaitForAll(WaitPolicy):
    """All keys of the window."""

    def is_satisfied(self, matched: int, expected: int) -> bool:
        return matched == expected

    def is_unreachable(self, expected: int) -> bool:
        return False


@builtin_part
class MinimumCount(WaitPolicy):
    """At least `n` keys; with a negative `n`, all but -n."""

    def __init__(self, n: int) -> None:
        if isinstance(n, bool) or not isinstance(n, int):
            raise TypeError(f"MinimumCount takes a whole number, not {n!r}")
        if n == 0:
            raise ValueError(
                "MinimumCount(0) is degenerate: it would be satisfied before any key arrives. Use WaitForAll(), or another number"
            )
        self.n = n

    def is_satisfied(self, matched: int, expected: int) -> bool:
        return matched >= (self.n if self.n > 0 else max(0, expected + self.n))

    def is_unreachable(self, expected: int) -> bool:
        return self.n > expected

    def serialize(self) -> dict[str, Any]:
        return {"n": self.n}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(data["n"])

    def __repr__(self) -> str:
        return f"MinimumCount(n={self.n})"
