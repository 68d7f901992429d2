"""The names that stand for a cron expression or a whole timetable."""

from __future__ import annotations

CRON_PRESETS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@quarterly": "0 0 1 */3 *",
    "@yearly": "0 0 1 1 *",
}
"""Replaced when a timetable is made, so that listings show the expression (airflow-surface.md B.2)."""

EXPANSIONS = CRON_PRESETS | {"@midnight": "0 0 * * *", "@annually": "0 0 1 1 *"}
"""What the evaluator reads for each name."""
