"""The data of the engine: DAGs, runs, task instances, pools, limits, timers and subscriptions. No decision is made here.

Open `engine_state.py` first, then `task_instance.py` (DAG, run and task instance, which refer to one another). A ready task
instance waits in a queue: `queue_state.py` is the table, `queue_moves.py` its only writer, `limits.py` and
`priority_queue.py` are the containers. `edge_waits.py` and `subscriptions.py` hold the waits between DAGs.
"""
