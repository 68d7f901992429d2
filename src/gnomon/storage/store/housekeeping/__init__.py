"""What the nightly clean deletes: expired rows (`retention.py`) and rows that nothing names any more (`unused_rows.py`)."""
