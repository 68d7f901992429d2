"""What authors use of shared streams: several watchers of assets read one stream, for example one connection to a broker.

A BaseEventTrigger with a `shared_stream_key` gets its events from `filter_shared_stream`, to which the triggerer gives the stream that all
triggers with an equal key share. The stream is `open_shared_stream`, or a SharedStreamProducer, which learns what became of each event.
The reference is section C of airflow-surface.md.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

log = logging.getLogger("airflow.triggers.shared_stream")
current_reject: ContextVar[Callable[[], None] | None] = ContextVar("shared_stream_reject", default=None)
"""Rejects the event that the filter of this trigger handles; None where there is none that could be rejected."""


class AckTimeout(Exception):
    """A trigger did not finish an event of its shared stream within `[triggerer] shared_stream_ack_timeout`."""


@dataclass(frozen=True, slots=True)
class AdvanceOutcome:
    """How many triggers ended one event in which way; the triggers are those that shared the stream when the event came."""

    acked: int
    """Their events are stored, or the event was none for them."""
    failed: int
    """They failed or ended before; the broker should deliver the event again."""
    rejected: int = 0
    """They called `reject_shared_stream_event`."""

    @property
    def is_clean(self) -> bool:
        """Whether at least one trigger has accepted the event, and none failed or rejected it."""
        return self.acked > 0 and not self.failed and not self.rejected


class AdvanceItem(NamedTuple):
    """One event that all triggers have ended."""

    broker_payload: Any
    outcome: AdvanceOutcome


class SharedStreamProducer(ABC):
    """The connection to a broker that triggers share, made by `create_shared_stream_producer`, for one life of the stream."""

    @abstractmethod
    def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        """Yield (event, broker_payload) for ever, or raise: the triggers get the event, and `advance` gets the broker_payload."""

    @abstractmethod
    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """Acknowledge the next events of one lane, in their order. One call at a time; an exception ends the stream."""

    def get_advance_lane(self, broker_payload: Any) -> Hashable:
        """Return the lane of an event. An event waits for the earlier ones of its lane only; by default all have one lane."""
        return None

    async def aclose(self) -> None:  # noqa: B027 - most need none
        """Close the connection; called once when the stream ends."""


def reject_shared_stream_event() -> None:
    """In `filter_shared_stream`: refuse the event that was read last, so that the broker drops it. Elsewhere it logs a warning."""
    reject = current_reject.get()
    if reject is None:
        log.warning(
            "reject_shared_stream_event() has no effect here: call it in filter_shared_stream(), for an event of a SharedStreamProducer"
        )
    else:
        reject()
