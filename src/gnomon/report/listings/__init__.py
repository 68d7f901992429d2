"""TODO: say what is in here."""
