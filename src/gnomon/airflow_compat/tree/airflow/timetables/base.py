"""`airflow.timetables.base`."""

from gnomon.airflow_compat.missing import missing
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import Timetable

__all__ = ["DagRunInfo", "DataInterval", "TimeRestriction", "Timetable"]
__getattr__ = missing(__name__)
