"""Streams of changes: one watcher of the journal for the process, and a hub that gives each change to the streams that want it. Open `event_hub.py` first."""
