"""The answers of secrets backends to imports of DAG files, kept in the memory of the service that answers the imports: `[secrets] use_cache`."""

from __future__ import annotations

from gnomon.clock import SystemClock
from gnomon.model.task_api_requests import GetCachedSecret, SetCachedSecret

CACHED_MAX = 10_000
"""The most answers that are kept; the oldest is forgotten for a new one."""

_clock = SystemClock()
_cached: dict[tuple[str, str], tuple[str | None, float]] = {}
"""Kind and name to the answer and the monotonic time at which it is forgotten."""


def answer_secret_cache(request: GetCachedSecret | SetCachedSecret) -> dict[str, str | None] | None:
    """Keep the answer of a backend, or return one that was kept: {"text": ...}; None when there is none."""
    key = (request.kind, request.name)
    if isinstance(request, SetCachedSecret):
        _cached.pop(key, None)
        while len(_cached) >= CACHED_MAX:
            del _cached[next(iter(_cached))]
        _cached[key] = (request.text, _clock.monotonic() + request.ttl_s)
        return None
    text, ends_at_s = _cached.get(key, (None, 0.0))
    if key not in _cached:
        return None
    if _clock.monotonic() >= ends_at_s:
        del _cached[key]
        return None
    return {"text": text}


def forget_cached_secrets() -> None:
    """Forget all answers."""
    _cached.clear()
