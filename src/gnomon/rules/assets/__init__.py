"""Rules about assets: when a condition holds, which leaves an event satisfies, which DAGs form a circle, which names conflict.

Open `conditions.py` first: when a condition holds, and what it lacks. `leaf_mappers.py` finds the partitions of an event, `partition_progress.py`
says what a partition lacks. Pure: no clock, no file, no store.
"""
