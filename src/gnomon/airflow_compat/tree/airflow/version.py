"""`airflow.version`: the version of the dialect."""

version = "3.3.2"
__all__ = ["version"]
