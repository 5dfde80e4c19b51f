"""What all tests share: reproducible chance."""

import hypothesis

# The same examples everywhere, so that a failure in CI is a failure at home.
hypothesis.settings.register_profile("notes", derandomize=True, deadline=None)
hypothesis.settings.load_profile("notes")
