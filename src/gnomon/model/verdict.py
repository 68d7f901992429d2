"""A rule's answer: whether, and if not yet, why, in words that a user can act on."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Outcome(Enum):
    """What a rule says of a task instance."""

    RUN = "run"
    WAIT = "wait"
    SKIP = "skip"
    UPSTREAM_FAILED = "upstream_failed"


class Verdict(NamedTuple):
    """The outcome and the sentence that `explain` prints."""

    outcome: Outcome
    reason: str = ""
