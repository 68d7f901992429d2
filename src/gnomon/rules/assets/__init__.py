"""Rules about assets: when a condition holds, which leaves an event satisfies, which DAGs form a circle, which names conflict.

Pure: no clock, no file, no store.
"""
