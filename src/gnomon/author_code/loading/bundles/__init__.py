"""DAG bundles: folders of DAG files that come from somewhere, with or without versions. They run where author code runs."""
