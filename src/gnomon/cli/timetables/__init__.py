"""`gnomon timetables`: looking at time before it comes. One command a file."""
