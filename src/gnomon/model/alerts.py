"""Alerts: what a rule watches, what an owner reports to the monitor, what an alert says, and the message that carries alerts.

`AlertRuleSpec` is a rule of a DAG file, `AlertFacts` the fact that an owner records with the end of a run or a try, `AlertItem` one alert
as channels get it, `AlertRecord` and `DeliveryRecord` the rows of the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, StoredSentence, read_sentence
from gnomon.model.sentences.stored_sentences import read_text


class AlertKind(StrEnum):
    """What a rule watches."""

    FAILURE = "failure"
    """A run has ended in state failed."""
    TASK_FAILURE = "task_failure"
    """A task instance has failed, and gets no further try."""
    RETRY = "retry"
    """A try of a task instance has failed; it gets another one."""
    LATE = "late"
    """A run has not ended by a time, or takes longer than it may."""
    WAITING = "waiting"
    """A run has been queued for longer than it may."""
    IMPORT_ERROR = "import_error"
    """A DAG file cannot be loaded."""
    SERVICE_SILENT = "service_silent"
    """No scheduler, worker, DAG processor or triggerer that is needed sends heartbeats."""
    QUARANTINED = "quarantined"
    """A message, a DAG or a group is in quarantine."""
    BASELINE_AT_RISK = "baseline_at_risk"
    """A baseline will probably, or certainly, not be met."""
    BASELINE_BROKEN = "baseline_broken"
    """A baseline was not met at its due time."""
    ON_KEY_PATH_FAILED = "on_key_path_failed"
    """A task on the key path of a baseline has failed."""
    ON_KEY_PATH_SLOW = "on_key_path_slow"
    """A task on the key path of a baseline runs longer than nine of ten of its earlier tries."""


RECORDED_KINDS = frozenset({AlertKind.FAILURE, AlertKind.TASK_FAILURE, AlertKind.RETRY})
"""Kinds that the owner of the DAG records when they happen; the monitor finds the others by looking."""
DAG_KINDS = frozenset({*RECORDED_KINDS, AlertKind.LATE, AlertKind.WAITING})
"""Kinds that are about a run; a rule of a DAG may have only these."""
BASELINE_KINDS = frozenset(
    {
        AlertKind.BASELINE_AT_RISK,
        AlertKind.BASELINE_BROKEN,
        AlertKind.ON_KEY_PATH_FAILED,
        AlertKind.ON_KEY_PATH_SLOW,
    }
)
"""Kinds that are about a baseline: the monitor finds them with each forecast."""
P95 = "p95"
"""The value of `longer_than` that stands for the 95th percentile of the DAG's last runs."""


class AlertRuleSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rule in a DAG file: `DAG(alerts=[gnomon.Alert(...)])`."""

    when: str
    """An AlertKind of DAG_KINDS."""
    to: tuple[str, ...]
    """Names of channels of gnomon.toml."""
    longer_than_s: float | None = None
    """Of `late` and `waiting`: seconds."""
    is_p95: bool = False
    """Of `late`: a run may take as long as the 95th percentile of the last runs."""
    by: str | None = None
    """Of `late`: the time of day, `HH:MM`, in the zone of the DAG."""
    resolved: bool = True
    """Whether a message says that the cause is gone."""


class AlertFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the owner of a DAG knows about a failed run or try."""

    reason: str | None = None
    """Why, in a sentence."""
    clear_number: int = 0
    """How often the run was cleared before."""
    task_id: str | None = None
    try_number: int = 0
    max_tries: int = 0
    retry_at: Instant | None = None


@dataclass(slots=True, frozen=True)
class AlertEvent:
    """The row of one fact that rules must know."""

    kind: str
    at: Instant
    dag_pk: int
    run_pk: int
    task_no: int | None
    map_index: int
    facts: AlertFacts


class AlertItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One alert as a channel gets it."""

    kind: str
    rule: str
    at: Instant
    sentence: StoredSentence | str
    """What happened, to which thing; a text in rows of earlier releases. The identity of an alert is its rule and its subject, never its words."""
    is_resolved: bool = False
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int = UNMAPPED
    failed_runs: int = 1
    """Of `failure`: the runs of the DAG that have failed since the alert was opened, this one included."""
    explanation: tuple[StoredSentence | str, ...] = ()
    """The sentences of `gnomon explain` at the moment of the alert."""
    command: str | None = None
    """The command that tells more."""
    link: str | None = None

    @property
    def message(self) -> Sentence:
        """What happened, for readers of any language."""
        return read_sentence(self.sentence)

    @property
    def text(self) -> str:
        """What happened, in English."""
        return read_text(self.sentence)

    @property
    def reasons(self) -> tuple[Sentence, ...]:
        """The sentences of the explanation, for readers of any language."""
        return tuple(map(read_sentence, self.explanation))


class DeliveryBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a message contains: the first alerts, and the number of all."""

    items: tuple[AlertItem, ...]
    count: int
    reason: str | None = None
    """The reason that the alerts share, where they are grouped by reason."""


@dataclass(slots=True, frozen=True)
class AlertRecord:
    """The row of one alert."""

    alert_pk: int
    rule: str
    kind: str
    subject: str
    dag_pk: int | None
    run_pk: int | None
    raised_at: Instant
    resolved_at: Instant | None
    item: AlertItem


@dataclass(slots=True, frozen=True)
class DeliveryRecord:
    """The row of one message to one channel."""

    delivery_pk: int
    uid: str
    channel: str
    group_key: str
    state: str
    """pending, sending, sent or failed."""
    created_at: Instant
    due_at: Instant
    tries: int
    ended_at: Instant | None
    error: str | None
    body: DeliveryBody
