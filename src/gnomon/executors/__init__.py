"""The scheduler's side of execution engines: submit, cancel, inventory."""
