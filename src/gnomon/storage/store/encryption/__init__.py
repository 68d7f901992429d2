"""Encryption of Variables, connections, and the arguments and events of triggers.

Open `cipher.py` first. `key_file.py` finds or creates the key of an installation; `store/key_check.py` refuses a host with another key.
"""
