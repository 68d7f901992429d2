"""Sentences of the catalogue in the language of a reader. What is stored, logged and given to programs stays English."""
