"""Partition mappers and windows: which partitions of a consumer an upstream partition belongs to, and which it needs.

A partition key is text. `PartitionMapper` maps the key of an upstream event to the keys of the consumer's runs (`key_mappers.py`,
`temporal_mappers.py`, `compound_mappers.py`); a `RollupMapper` also lists the upstream keys that a run needs, by a `Window`
(`windows.py`), and a `WaitPolicy` (`wait_policies.py`) says how many of them are enough. `part_codec.py` has the stored form. Pure: nothing here
reads a clock. The names and signatures are Airflow's (airflow-surface.md B.6).
"""
