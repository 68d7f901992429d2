"""The health of Gnomon's components, derived from their last heartbeats."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.sentences import Sentence


class HealthStatus(str, Enum):
    """Airflow's values for a component's health; Airflow gives None for a component that was never started."""

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class ComponentHealth:
    """The health of one component, and its last heartbeat."""

    name: str
    beat_name: str | None
    """The key of the heartbeat in Airflow's JSON; None for the database."""
    status: HealthStatus | None
    beat_at: Instant | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """Counts of DAGs and import errors, and of runs by state."""

    dags: int = 0
    paused: int = 0
    import_errors: int = 0
    runs: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HealthSnapshot:
    """The health of all components at one instant, with counts."""

    at: Instant
    components: tuple[ComponentHealth, ...]
    counts: WorkCounts | None = None
    """None while the database is unavailable."""
    problems: tuple[Sentence, ...] = ()
    """Problems, each with a remedy; text in back quotes is a command or a name."""
    silent: tuple[Sentence, ...] = ()
    """Those of them that say which services are not alive."""


def status_of_heartbeat(beat_at: Instant | None, now: Instant, threshold_s: float) -> HealthStatus | None:
    """HEALTHY while the last heartbeat is at most `threshold_s` seconds old; None when there never was a heartbeat."""
    if beat_at is None:
        return None
    return HealthStatus.HEALTHY if now - beat_at <= threshold_s * SECOND else HealthStatus.UNHEALTHY


def to_airflow_json(health: HealthSnapshot) -> dict[str, dict[str, str | None]]:
    """The JSON object of Airflow's `/monitor/health`."""
    answer: dict[str, dict[str, str | None]] = {}
    for part in health.components:
        answer[part.name] = {"status": part.status.value if part.status is not None else None}
        if part.beat_name is not None:
            answer[part.name][part.beat_name] = iso(part.beat_at)
    return answer
