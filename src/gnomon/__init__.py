"""Gnomon: a workflow scheduler for Python whose promise is about time."""
