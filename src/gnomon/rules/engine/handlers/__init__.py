"""One handler for each event of a step: results of attempts, events of triggers, answers of people, requests of users, new versions of a DAG.

Open `attempt_results.py` first, then `requests.py` (clear, mark, kill). `version_change.py` moves runs to a new version of the DAG,
`group_loading.py` loads and drops groups. Handlers are called by `step.py` alone.
"""
