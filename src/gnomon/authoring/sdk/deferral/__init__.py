"""Triggers, for tasks that wait without a worker. `triggers` has the base classes of authors: open it first. `deferral_checks` checks what a task
defers to.
"""
