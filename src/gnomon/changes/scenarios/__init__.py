"""What a user may change in a simulated world, whichever way he says it: options of a command, a TOML file, or JSON of the API."""
