"""The `gnomon` command: one noun a file, loaded when it is named, so that `gnomon --help` stays fast."""
