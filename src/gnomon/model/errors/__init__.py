"""The exception classes. Open `product.py` for errors of commands and services: the class says whose fault it is.

`authoring.py` lists the errors that DAG files and tasks raise and catch, under Airflow's names, from one module for each cause; `timetable.py` those of
timetables and calendars.
"""

from gnomon.model.errors.product import ConfigurationError, GnomonError, InternalError, ResourceUnavailable, UserError

__all__ = ["ConfigurationError", "GnomonError", "InternalError", "ResourceUnavailable", "UserError"]
