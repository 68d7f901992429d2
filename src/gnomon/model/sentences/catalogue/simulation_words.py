"""Sentences about simulations and what they assume."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "durations_are_assumed": (
        "the duration of {count} task is not known: it is assumed to take {duration} ({names}); name it with --set DAG.TASK=SPAN, or another assumption with --assume SPAN",
        "the durations of {count} tasks are not known: each is assumed to take {duration} ({names}); name them with --set DAG.TASK=SPAN, or another assumption with --assume SPAN",
    ),
    "lengths_are_assumed": (
        "{count} task returns a list of unknown length that another is mapped over: the length is assumed to be {total} ({names}); name it with --length DAG.TASK=NUMBER",
        "{count} tasks return lists of unknown length that others are mapped over: each length is assumed to be {total} ({names}); name them with --length DAG.TASK=NUMBER",
    ),
    "pools_are_assumed": (
        "{count} pool is used and no size is named for it: it is assumed to have no limit ({names}); name it with --pool NAME=SLOTS",
        "{count} pools are used and no size is named for them: they are assumed to have no limit ({names}); name them with --pool NAME=SLOTS",
    ),
    "simulated_dag_has_no_plan": "no run of DAG {dag} is planned: {why}",
    "scenario_names_nothing": "the scenario names {name!r}, which is no DAG and no task of a DAG in the folder; write DAG or DAG.TASK",
    "scenario_names_twice": "{option} names {name!r} twice; keep one of the two",
    "scenario_value_is_wrong": "{option} {text!r} is not {example}",
    "partitions_are_not_projected": (
        "{count} DAG is scheduled by partitions of assets, and these runs are not projected ({names})",
        "{count} DAGs are scheduled by partitions of assets, and these runs are not projected ({names})",
    ),
    "expectation_is_broken": "{text!r} does not hold for the run of DAG {dag} that is due at {at}: {why}",
    "expectation_has_no_run": "{text!r} says nothing: DAG {dag} has no run in the simulated time; simulate a longer time with --for, or remove the expectation",
    "expectations_are_violated": ("{count} violation of expectations", "{count} violations of expectations"),
    "it_takes": "it takes {duration}",
    "it_comes_at": "it {text} at {at}",
    "it_does_not_come": "it never {text}",
    "simulation_is_too_large": "the simulation was ended at {at}, after {number} attempts of tasks; shorten --for, or choose a smaller folder",
    "folder_does_not_exist": "{folder} is not a folder; name the folder that contains the DAG files",
    "folder_defines_no_dag": "no file in {folder} defines a DAG",
    "forecast_durations_are_assumed": (
        "{count} task has fewer than three successful tries: it is assumed to take {duration} ({names}); name another assumption with --assume SPAN",
        "{count} tasks have fewer than three successful tries: each is assumed to take {duration} ({names}); name another assumption with --assume SPAN",
    ),
    "projection_needs_memory": "the projection needs more than {size} of memory; choose an earlier --until or a shorter --for, or fewer DAGs",
    "forecast_end_is_past": "--until {until} is not after now; name a later time",
    "forecast_without_workers": "no worker is alive: one with [core] parallelism slots is assumed from now on",
    "forecast_leaves_backfills_out": (
        "of {count} unfinished backfill only the runs that a scheduler has in memory are projected",
        "of {count} unfinished backfills only the runs that a scheduler has in memory are projected",
    ),
    "forecast_has_fewer_samples": "{count} of {total} samples were drawn, because more would have taken longer than {duration}; allow more with --max-time",
}
