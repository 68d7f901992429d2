"""Whether each part of Gnomon is well, from its last beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gnomon.model.instants import SECOND, Instant, iso


class HealthStatus(str, Enum):
    """Airflow's words for its own health page; None there is a part that was never started."""

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class ComponentHealth:
    """One part: how it is, and when it last said so."""

    name: str
    beat_name: str | None
    """The key of the beat in Airflow's answer; the database has none."""
    status: HealthStatus | None
    beat_at: Instant | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """What the database holds; run states by name."""

    dags: int = 0
    paused: int = 0
    import_errors: int = 0
    runs: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HealthSnapshot:
    """All parts at one moment, and what they are busy with."""

    at: Instant
    components: tuple[ComponentHealth, ...]
    counts: WorkCounts | None = None
    """None while the database is away."""
    problems: tuple[str, ...] = ()
    """What is wrong, each with its remedy; text in back quotes is to be typed."""


def status_of_heartbeat(beat_at: Instant | None, now: Instant, threshold_s: float) -> HealthStatus | None:
    """Healthy while the last beat is younger than the threshold; None when there never was one."""
    if beat_at is None:
        return None
    return HealthStatus.HEALTHY if now - beat_at <= threshold_s * SECOND else HealthStatus.UNHEALTHY


def to_airflow_json(health: HealthSnapshot) -> dict[str, dict[str, str | None]]:
    """The shape of Airflow's `/monitor/health`."""
    answer: dict[str, dict[str, str | None]] = {}
    for part in health.components:
        answer[part.name] = {"status": part.status.value if part.status is not None else None}
        if part.beat_name is not None:
            answer[part.name][part.beat_name] = iso(part.beat_at)
    return answer
