"""Assets: what DAG files declare about them, their events, and the events that each consumer DAG has not consumed yet."""
