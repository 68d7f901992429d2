"""The values that all services share: ids, instants, states, slots, specs, records and messages. No behaviour.

Open `states.py` and `spec.py` first: the states of runs and task instances, and a DAG as the server stores it. `records.py`
holds the rows of the store, `attempts.py` and `deferral.py` the messages between scheduler, worker and triggerer,
`run_waits.py` and `upstream_edges.py` the dependencies between DAGs, `task_api_requests.py` the requests of author code.
"""
