"""Typed JSON with objects of classes, for the processes of tasks and triggers: XComs, arguments of triggers, payloads of events.

Open `value_codec.py` first. A module for each library knows its types; it is imported with the first value of them, so that no library is loaded for
values without it. `author_objects.py` knows the classes of authors, `allowed_classes.py` which of them may be made from a stored value.
"""
