"""Whether each part of Gnomon is well, from its last beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gnomon.model.instants import SECOND, Instant, iso


class Status(str, Enum):
    """Airflow's words for its own health page; None there is a part that was never started."""

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Part:
    """One part: how it is, and when it last said so."""

    name: str
    beat_name: str | None
    """The key of the beat in Airflow's answer; the database has none."""
    status: Status | None
    beat_at: Instant | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the database holds; run states by name."""

    dags: int = 0
    paused: int = 0
    import_errors: int = 0
    runs: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """All parts at one moment, and what they are busy with."""

    at: Instant
    parts: tuple[Part, ...]
    counts: Counts | None = None
    """None while the database is away."""
    wrongs: tuple[str, ...] = ()
    """What is wrong, each with its remedy; text in back quotes is to be typed."""


def judge(beat_at: Instant | None, now: Instant, threshold_s: float) -> Status | None:
    """Healthy while the last beat is younger than the threshold; None when there never was one."""
    if beat_at is None:
        return None
    return Status.HEALTHY if now - beat_at <= threshold_s * SECOND else Status.UNHEALTHY


def as_json(health: Health) -> dict[str, dict[str, str | None]]:
    """The shape of Airflow's `/monitor/health`."""
    answer: dict[str, dict[str, str | None]] = {}
    for part in health.parts:
        answer[part.name] = {"status": part.status.value if part.status is not None else None}
        if part.beat_name is not None:
            answer[part.name][part.beat_name] = iso(part.beat_at)
    return answer
