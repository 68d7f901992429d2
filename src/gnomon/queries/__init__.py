"""What may be asked, and who asks: by users (`report`), by running tasks (`taskapi`), and with which rights (`accounts`). Changes nothing of runs.

The three stand side by side and do not import one another. May import `storage` and everything below. Answers are typed records and sentences that the
command line, the API and the page show as they are.

An example: `gnomon explain sales` asks `report.explanations`, which reads the rows of the run, lets the engine name the unmet conditions
(`rules/engine/conditions`) and adds what only the database knows: a paused DAG, a file that does not parse, a missing worker.
"""
