"""The context of one attempt."""

from __future__ import annotations

from typing import Any

from gnomon.context.keys import COSTLY, WITH_DATE, WITHOUT_DATE, Source
from gnomon.context.lazy import Context
from gnomon.context.task_instance import TaskInstance
from gnomon.model.facts import Attempt, RunFacts
from gnomon.sdk.channel import Channel


def build_context(*, task: Any, dag: Any, run: RunFacts, attempt: Attempt, channel: Channel) -> Context:
    """The template context of that attempt; its `ti` collects what the attempt pushes.

    Callbacks find `exception` and `reason` in it once the runner has put them there.
    """
    ti = TaskInstance(task=task, attempt=attempt, channel=channel)
    context = Context.lazily(WITHOUT_DATE if run.logical_at is None else WITH_DATE, Source(dag, ti), costly=COSTLY)
    ti.bind(context)
    return context
