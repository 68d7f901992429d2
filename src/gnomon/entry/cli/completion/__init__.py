"""Shell completion. Open `completion_command.py` for `gnomon completion`, `completer.py` for what a shell asks at each press of Tab.

A shell starts one process for each press, so what it needs is read without the modules of the commands: `command_table.py` says
which commands there are and what their arguments name, and `name_reader.py` reads these names from the database.
"""
