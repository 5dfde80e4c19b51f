"""What runs in a reader's browser, in Python: the cells of a page (see notes_site/live.py)."""
