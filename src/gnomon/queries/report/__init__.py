"""Read-only reports on DAGs, runs and tasks: typed records and sentences that the command line and the API print unchanged.

`explanations/` says why something is not running, `listings/` has the records of DAGs, runs, tasks and processes, `waits/` the
dependencies between DAGs, `pictures/` renders SVG and calendar files. Instants in records are ISO 8601 text in UTC with
microseconds. The error for an unknown name suggests the nearest existing names (`listings/not_found.py`).
"""
