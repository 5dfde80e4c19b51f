"""Python code that runs in a reader's browser: the cells of a page (see notes_site/live.py)."""
