"""Built-in timetables in words: `short_words.py` for listings, `long_words.py` as sentences.

They say what a timetable's `serialize` returns, and are loaded when somebody reads them, not with a DAG file.
"""
