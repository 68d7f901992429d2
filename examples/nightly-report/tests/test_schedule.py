"""What the schedule promises, whatever changes."""

import sys
from datetime import date
from pathlib import Path

from gnomon.testing.simulation import simulate

DAGS = Path(__file__).parent.parent / "dags"
sys.path.insert(0, str(DAGS))

from office import OFFICE  # noqa: E402 - in the folder of the DAGs


def test_the_report_of_each_business_day_is_done_by_seven():
    october = simulate(DAGS, start=date(2026, 10, 1), days=31, pools={"etl": 2})
    october.assert_done_by("report", "07:00", on=OFFICE)
    october.assert_order("extract", "load")
    october.assert_order("load", "report")


def test_a_slow_load_still_leaves_the_report_in_time():
    october = simulate(DAGS, start=date(2026, 10, 1), days=31, pools={"etl": 2}, durations={"load.facts": "75m"})
    october.assert_done_by("report", "07:00", on=OFFICE)
