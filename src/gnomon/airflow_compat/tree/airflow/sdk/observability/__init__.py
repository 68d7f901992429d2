"""`airflow.sdk.observability`."""
