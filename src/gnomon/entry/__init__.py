"""What people and programs start, and what puts the parts together.

From top to bottom: `cli` (the `gnomon` command) and `simulate` (a whole deployment on a virtual clock); `projection` (the
future of a deployment in memory); `testing` (`dag.test()`, laws of timetables, an
executor that follows a script); `app` (the wiring: chooses database, executor and clock, and starts the services). May import everything below.
Nothing but the dialect and the public modules imports this layer.

An example: `gnomon standalone` (`cli/services.py`) asks `app/standalone.py`, which migrates the database, imports what the services share, freezes the
heap and forks scheduler, worker, dag-processor, api-server and triggerer; a simulation runs the same scheduler in one thread instead.
"""
