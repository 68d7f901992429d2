"""Assets: what DAG files declare about them, their events (`asset_events.py`, open it first), the events that each consumer DAG has not consumed
yet (`asset_queue.py`), and the partitions that have no run yet (`partition_runs.py`).
"""
