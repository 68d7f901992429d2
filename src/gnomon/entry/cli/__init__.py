"""The `gnomon` command. `main.py` turns every way a command can end into an exit code; `commands.py` lists all commands.

Each top-level command has a module or a package of its own (`dags.py`, `runs.py`, `timetables/`), which is imported only when
the command is used, so that `gnomon --help` stays fast. Listings and explanations come from `gnomon.queries.report`; changes go to the
owner of a DAG through `gnomon.changes.actions`.
"""
