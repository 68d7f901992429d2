"""Baselines: when one is due, and which level follows from what is predicted. Pure.

Open `due_times.py` first: the due times of a promise, and which runs belong to one. `levels.py` decides the level, with hysteresis.

An example: "report by 07:00 Europe/Berlin" is due each day at 07:00 there, and is about the runs of `report` whose slot lies on that day, before 07:00.
"""
