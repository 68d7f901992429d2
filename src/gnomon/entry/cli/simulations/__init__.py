"""`gnomon simulate`: scenarios from options and files, and how their runs and their differences are written."""
