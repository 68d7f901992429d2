"""What users may do: create, clear, mark, pause, delete, answer, back up, send. Each act exists once, for the command line and for the API.

From top to bottom: `operations` (the questions and acts of the command line, in its process or over the API, with the permission that each needs);
`actions` (the acts), `alert_channels` (how one message is sent) and `scenarios` (what may be changed in a simulated world). May import `queries` and everything below. A change of a run is a request in the
mailbox of the owner of its DAG, never a write to the run.

An example: "clear task load" becomes `operations` -> `actions/run_changes.py`, which checks names and rights (`queries`) and inserts mail
(`storage/store`); the scheduler that owns the DAG applies it in its next round.
"""
