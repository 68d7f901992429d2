"""The dependencies between DAGs as records: the graph of all DAGs (`wait_graph.py`) and the waits of one day (`day_preview.py`).

`edge_wording.py` describes a dependency and its rules for people; `day_lanes.py` lays out the picture of a day's waits.
"""
