"""What commands do on a terminal and not in a pipe: colours, local times, tables as wide as the screen, pictures that refresh.

Open `screen.py` first: it tells what stdout is. `record_table.py` fits tables into its width, `local_times.py` formats instants,
`state_styles.py` is the table of colours and signs of states, `live_view.py` redraws a picture until a key is pressed, and
`guarded_output.py` lets no text of others control the terminal.
"""
