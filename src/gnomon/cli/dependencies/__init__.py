"""`gnomon dependencies`: which runs wait for runs of other DAGs. One command a file."""
