"""A trial: one run of one DAG, here and now, by the real scheduler and worker, in a home that vanishes afterwards."""
