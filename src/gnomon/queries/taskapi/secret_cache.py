"""The answers of secrets backends to imports of DAG files, kept in the memory of the service that answers the imports: `[secrets] use_cache`."""

from __future__ import annotations

from gnomon.ground.clock import SystemClock
from gnomon.model.task_api_requests import GetCachedSecret, SetCachedSecret

CACHED_MAX = 10_000
"""The most answers that are kept; the oldest is forgotten for a new one."""
TEXT_MAX = 1_000_000
"""A longer answer is not kept."""
CHARACTERS_MAX = 20_000_000
"""The most characters of all answers that are kept."""
TTL_MAX_S = 86_400.0
"""No answer is kept for longer, whatever the request says: author code can make one."""

_clock = SystemClock()
_cached: dict[tuple[str, str], tuple[str | None, float]] = {}
"""Kind and name to the answer and the monotonic time at which it is forgotten."""


def answer_secret_cache(request: GetCachedSecret | SetCachedSecret) -> dict[str, str | None] | None:
    """Keep the answer of a backend, or return one that was kept: {"text": ...}; None when there is none."""
    key = (request.kind, request.name)
    if isinstance(request, SetCachedSecret):
        _keep(key, request.text, request.ttl_s)
        return None
    text, ends_at_s = _cached.get(key, (None, 0.0))
    if key not in _cached:
        return None
    if _clock.monotonic() >= ends_at_s:
        del _cached[key]
        return None
    return {"text": text}


def _keep(key: tuple[str, str], text: str | None, ttl_s: float) -> None:
    _cached.pop(key, None)
    if _count_characters(key, text) > TEXT_MAX or not ttl_s > 0:  # also NaN
        return
    free = (
        CHARACTERS_MAX
        - _count_characters(key, text)
        - sum(_count_characters(text_kept, entry) for text_kept, (entry, _) in _cached.items())
    )
    while _cached and (len(_cached) >= CACHED_MAX or free < 0):
        oldest = next(iter(_cached))
        free += _count_characters(oldest, _cached.pop(oldest)[0])
    _cached[key] = (text, _clock.monotonic() + min(ttl_s, TTL_MAX_S))


def _count_characters(key: tuple[str, str], text: str | None) -> int:
    return len(key[0]) + len(key[1]) + len(text or "")


def forget_cached_secrets() -> None:
    """Forget all answers."""
    _cached.clear()
