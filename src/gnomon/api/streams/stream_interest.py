"""`StreamInterest`: which changes a stream shows, by what the client asked for and by what its account may see."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.accounts import Identity, Role
from gnomon.queries.report.activity.change_feed import ChangeEvent


@dataclass(frozen=True, slots=True)
class StreamInterest:
    """Streams with equal interests share their data."""

    identity: Identity
    dag_ids: frozenset[str] | None = None
    """None: all that the account may see, with what belongs to no DAG."""
    kinds: frozenset[str] | None = None

    def accepts(self, event: ChangeEvent) -> bool:
        """Whether the stream shows the event."""
        if self.kinds is not None and event.kind not in self.kinds:
            return False
        labels = event.dags if self.dag_ids is None else [label for label in event.dags if label.dag_id in self.dag_ids]
        if self.identity.everywhere >= Role.VIEWER:
            return bool(labels) or self.dag_ids is None
        return any(self.identity.find_dag_role(label.dag_id, label.tags) >= Role.VIEWER for label in labels)
