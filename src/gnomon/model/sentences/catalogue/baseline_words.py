"""Sentences about baselines: how they stand at a due time, and why."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "baseline_is_safe": "baseline {name!r} of {due_at} is safe: {end}",
    "baseline_is_at_risk": "baseline {name!r} of {due_at} is at risk: it is late in {number} of the futures; {end}",
    "baseline_is_near": "baseline {name!r} of {due_at} is at risk: it probably ends within the margin before the due time; {end}",
    "baseline_will_break": "baseline {name!r} of {due_at} will be broken: {end}",
    "baseline_is_broken": "baseline {name!r} of {due_at} is broken: {end}",
    "baseline_was_met": "baseline {name!r} of {due_at} was met: it was done at {at}",
    "baseline_was_late": "baseline {name!r} of {due_at} was broken: it was done at {at}, {duration} late",
    "it_ends_probably": "it is probably done at {at}, in nine of ten futures by {until}",
    "it_ends_in_half": "it is probably done at {at}, but not in one of ten futures",
    "it_does_not_end": "in half of the futures it is not done",
    "run_ends_probably": "it is expected to end at {at}, in nine of ten futures by {until} (forecast of {since})",
    "run_ends_in_half": "it is expected to end at {at}, but not in one of ten futures (forecast of {since})",
    "its_runs_have_failed": ("run {names} has failed", "{count} runs have failed: {names}"),
    "key_step_costs": "{task!r} of DAG {dag} takes the most time: from {at} to {until}{time_after}{waiting}",
    "key_step_usually": ", usually {usual}",
    "key_step_usually_now": ", usually {usual} since the newest version of the DAG, and {duration} before it",
    "key_step_waits": ", after a wait of {duration}",
    "key_step_waits_for_pool": (
        ", after a wait of {duration} for pool {pool} with {count} slot, which {name} holds",
        ", after a wait of {duration} for pool {pool} with {count} slots, most of which {name} holds",
    ),
    "key_step_waits_for_worker": (
        ", after a wait of {duration}, as {count} task runs at once in all, mostly {name}",
        ", after a wait of {duration}, as {count} tasks run at once in all, mostly {name}",
    ),
    "key_step_failed": "{task!r} of DAG {dag}, on the key path of baseline {name!r}, has failed: the baseline is due at {due_at}",
    "key_step_is_slow": "{task!r} of DAG {dag}, on the key path of baseline {name!r}, runs longer than nine of ten of its earlier tries: the baseline is due at {due_at}",
    "baseline_names_nothing": "{place}: baseline {name!r} names {text!r}, which is no DAG and no task of a DAG; write DAG or DAG.TASK",
    "baseline_does_not_exist": "there is no baseline {name!r}; the baselines are {names}",
    "no_baseline_exists": "there is no baseline; write one below a line [baselines.NAME] in gnomon.toml, or in a DAG file: DAG(baselines=[Baseline(...)])",
    "baseline_is_written_twice": "{place}: baseline {name!r} exists already ({elsewhere}); give each its own name",
    "no_forecast_exists": "there is no forecast: the monitor makes one every {duration}, while it runs and there is a baseline or [forecast] always = true",
    "baseline_prediction_is_old": "the newest prediction is of {since}, and old: no monitor judges baselines now; start one with `gnomon monitor`, or see why it makes none in its log; it said: {why}",
    "no_prediction_is_kept": "no run of the last 14 days has a prediction: the monitor makes one every {duration}, while it runs and there is a baseline or [forecast] always = true",
    "runs_were_not_predicted": (
        "{count} DAG has runs that were not predicted to end in half of the futures ({names}): see `gnomon explain` and its assumptions in `gnomon forecast`",
        "{count} DAGs have runs that were not predicted to end in half of the futures ({names}): see `gnomon explain` and the assumptions of `gnomon forecast`",
    ),
    "no_slot_is_taken": "no slot of a pool is taken or waited for",
    "baseline_has_no_prediction": "baseline {name!r} has no prediction yet: the monitor makes one every {duration}, if it runs and a run belongs to a due time of the next 24 hours",
}
