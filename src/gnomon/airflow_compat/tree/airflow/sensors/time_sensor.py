"""`airflow.sensors.time_sensor`."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
