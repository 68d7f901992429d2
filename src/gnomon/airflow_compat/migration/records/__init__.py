"""Connections, Variables and pools of an Airflow installation, from its export files or from its database."""
