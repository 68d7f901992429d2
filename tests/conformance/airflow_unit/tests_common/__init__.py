"""Stand-ins for the helpers of Airflow's own tests: what needs no Airflow."""

RUNNING_TESTS_AGAINST_AIRFLOW_PACKAGES = True
"""There is no checkout of Airflow beside the tests."""
