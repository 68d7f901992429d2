"""What is decided, and nothing else: facts in, decision out. Pure: no clock, no file, no environment, no randomness, no thread, no log.

    engine         runs in memory; `step` applies events and returns the changes to store
    planning       which runs a DAG needs next, from its cursor and its timetable
    dependencies   which runs of another DAG a run waits for
    decide         states and their transitions, trigger rules, retries, ends of runs
    baselines      when a promised end is due, and how it stands
    durations      how long a task takes, by class of run, from its recorded tries
    assets         when a condition of assets holds
    partitions     which partitions of a consumer an upstream partition belongs to
    timetables     when a DAG runs, and the data interval of each run
    calendars      which dates are business days

Above `partitions` all but `engine` stand side by side and do not import one another. May import `model` only. `now` is always an argument.

An example: `planning.plan_runs` is given the cursor of a DAG, its timetable and `now`, and returns the runs to create; the scheduler stores them, the
simulator checks them, `gnomon dags next-runs` prints them, and the projector runs them a thousand times: the same function.
"""
