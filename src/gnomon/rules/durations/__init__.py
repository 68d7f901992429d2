"""How long a task takes, from its recorded tries: empirical distributions by class, with a coarser class where there are few runs. Pure.

Open `duration_model.py` first (`DurationModel`): it draws by a number between 0 and 1, which the caller makes. `day_class.py`: the classes of a run.
`present_level.py` brings recorded durations to the level of now, `arrivals.py` tells the tasks that wait for the world.

An example: a task that takes 10 minutes on workdays and an hour at month's end has two distributions once each has eight runs; before that, both
days are drawn from all runs.
"""
