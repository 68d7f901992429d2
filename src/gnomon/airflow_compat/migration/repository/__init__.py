"""Reads somebody's repository of DAG files without running it: what runs on Gnomon, what differs, and what is missing."""
