"""What the check of a repository says: findings with their lines, and the verdict on each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Severity(Enum):
    """The weight of a finding. The heaviest finding of a file is its verdict; a file with notes alone runs."""

    NOTE = "note"
    DIFFERS = "differs"
    """It runs, with another meaning than in the Airflow that it was written for."""
    MISSING = "missing"
    """It uses something that Gnomon does not have; it cannot be imported, or a task fails."""
    UNREADABLE = "unreadable"
    """The file cannot be parsed."""


_WEIGHTS = {Severity.NOTE: 0, Severity.DIFFERS: 1, Severity.MISSING: 2, Severity.UNREADABLE: 3}


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement about a line of a file."""

    line: int
    severity: Severity
    rule: str
    """A short name of the kind of finding, such as `data-interval`."""
    message: str


@dataclass(frozen=True, slots=True)
class RunDates:
    """The next runs of a DAG whose meaning differs: each with the `ds` of Airflow and that of Gnomon."""

    line: int
    dag_id: str
    runs: list[dict[str, str | None]]


@dataclass(slots=True)
class FileReport:
    """One file of the repository."""

    path: str
    dags: list[str] = field(default_factory=list)
    """Ids of its DAGs; `?` for an id that is computed."""
    findings: list[Finding] = field(default_factory=list)
    providers: list[str] = field(default_factory=list)
    """The provider packages that it imports."""
    run_dates: list[RunDates] = field(default_factory=list)
    uses_airflow: bool = False

    @property
    def verdict(self) -> str:
        """`runs`, `differs`, `missing`, `unreadable`, or `no airflow` for a file that does not use Airflow."""
        heaviest = max((finding.severity for finding in self.findings), key=_WEIGHTS.__getitem__, default=Severity.NOTE)
        if heaviest is not Severity.NOTE:
            return str(heaviest.value)
        return "runs" if self.uses_airflow else "no airflow"
