"""What would happen if: the present state of the store goes on twice, as it is and with the changes of a scenario.

`changed_world` makes the second state, `changed_times` its durations, `both_worlds` draws futures of both with the same random numbers, `world_runs`
says what many futures say of a run, `simulation_comparison` makes the answer. `simulation_main` is the process of a job of the API.
"""
