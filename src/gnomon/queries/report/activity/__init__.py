"""What an installation does now: what runs, what waits and for what, and what is late. Open `current_work.py` first."""
