"""When an unfinished run is expected to end, by the newest forecast of the monitor."""

from __future__ import annotations

from gnomon.model.instants import Instant, round_up_to_second
from gnomon.model.sentences import Sentence, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states


def describe_predicted_end(tx: Transaction, dag_id: str, run_id: str, now: Instant) -> list[Sentence]:
    """The sentence; empty when no fresh forecast knows the run."""
    head = baseline_states.find_forecast_head(tx)
    run = None if head is None or not head.is_fresh(now) else baseline_states.find_predicted_run(tx, dag_id, run_id)
    if head is None or run is None or run.end_p50 is None:
        return []
    end = round_up_to_second(run.end_p50)
    if run.end_p90 is None:
        return [say("run_ends_in_half", at=end, since=head.at)]
    return [say("run_ends_probably", at=end, until=round_up_to_second(run.end_p90), since=head.at)]
