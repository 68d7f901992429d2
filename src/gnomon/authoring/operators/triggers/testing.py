"""Triggers with a fixed result, for tests of deferrable operators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent


class SuccessTrigger(BaseTrigger):
    """Fires at once with True."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.SuccessTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(True)


class FailureTrigger(BaseTrigger):
    """Raises ValueError at once."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.FailureTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield _fail()


def _fail() -> TriggerEvent:
    raise ValueError("Deliberate trigger failure")
