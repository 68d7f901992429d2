"""What the owner of a group of DAGs reads and writes: the protocol of docs/contributing/ownership.md.

Open `commit.py` first: it stores the changes of one step. `group_state.py` loads what an owner keeps in memory (LOAD), `planned_runs.py` creates
planned runs (PLAN), `backfill_runs.py` those of backfills.
"""
