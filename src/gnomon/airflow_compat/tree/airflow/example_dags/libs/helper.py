"""`airflow.example_dags.libs.helper`."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["print_stuff"]


def print_stuff():
    """Print a word."""
    print("annotated!")  # noqa: T201  as the example of Airflow does


__getattr__ = make_getattr(__name__)
