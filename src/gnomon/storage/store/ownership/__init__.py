"""Who owns which DAGs, and what an owner reads and writes: the protocol of docs/contributing/ownership.md.

Open `leases.py` first (FENCE and TAKE_OVER). `group_state.py` loads what an owner keeps in memory (LOAD), `commit.py` stores the
changes of one step, `planned_runs.py` creates planned runs (PLAN), `backfill_runs.py` those of backfills, `mailbox.py` holds mail and requests to owners (REQUEST).
"""
