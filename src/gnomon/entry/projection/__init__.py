"""The future of a deployment in memory: the real planning, dependencies and engine on a virtual clock, without SQL.

Open `projector.py` first: `Projector` runs the rounds of a scheduler with the scheduler's own parts. `memory_store.py` stands
where these parts expect a database (`memory_runs.py`, `memory_assets.py`); `projected_worker.py` takes the time that a script
says; `projected_dags.py` makes the records of DAGs that are in no database; `run_outcomes.py` collects what became of the runs.
`simulation.py` begins with files (`gnomon simulate`), `forecast.py` with the stored state (`gnomon forecast`, `snapshot.py`): it draws
many futures (`drawn_times.py`), `replay.py` with the record of a day. `requirement_search.py` tries values, `simulated_schedule.py` is
for tests of authors. `idle_process.py` keeps a projection away from the services. docs/decisions/0034-projection.md says why there is
no second model.

An example: `gnomon simulate --dags FOLDER --for 1d` parses the files, gives their records to a Projector with a script of
durations, calls `run_until`, and prints the outcomes.
"""
