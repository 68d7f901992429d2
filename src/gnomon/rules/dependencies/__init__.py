"""Which runs of another DAG a run waits for, computed from both timetables. Pure. Open `resolver.py` first.

The model. A timetable has a granularity (minute, hour, discrete hours, day, week, month) and, in each natural day of one
zone, *slot labels*: the wall-clock times at which it runs. `upstream_slots` takes one label of the downstream run, the
downstream's labels of that day, and the upstream's labels of that day (or N days before), and returns upstream slots.

    resolver         one dependency: applies the rule, then `take` and `on_absent`
    rule_pairs       the rules, and two tables (granularity, granularity) -> rule: for the same and for earlier periods
    self_dependency  a DAG that waits for itself: the N-th slot before
    slot_query       the arguments of a rule, and its result
    slot_labels      the labels of a day, and searches among them
    slot_chunks      the labels of a timetable, cached by days, or by hours or minutes of days with many slots
    planned_slots    the slots of a timetable between the dates of its DAG
    history          which slots have a run, and which never will
    zone_days        labels and instants of one zone
    upstream_query   the same as stored data: the form that the scheduler and the timetable hosts use
    faults, shape    over all DAGs together: dependencies that can never be met, and names that do not exist

Labels, not instants, are counted and compared, so that counts do not change when clocks change. When a clock is set back,
the two instants of a label are one: a run that waits for the label waits for both. When it is set forward, a skipped label
moves onto another instant and stays a label of its own; a run with two labels waits for the slots of both. A timetable that
runs every hour has the labels that its clock shows.

Dependencies that cannot be met are always reported. The rule `none` means that there is no such slot; `absent` has the
slots that the upstream's cursor has passed without a run. A slot after the cursor counts, although its run does not exist
yet. A run that its own timetable does not plan (the schedule has changed since) has no position among the labels of its
day: it is matched by intervals only, not one to one.
"""
