"""Pages of long lists: conditions, orders and cursors that a client of the API chooses, over statements of `store/sql` with fields.

Open `page_query.py` first.
"""
