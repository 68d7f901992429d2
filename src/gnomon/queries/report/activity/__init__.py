"""What an installation does now: what runs, what waits and for what, and what is late. Open `current_work.py` first;
`usual_duration.py` says when a run takes longer than it should, `change_feed.py` reads changes for event streams.
"""
