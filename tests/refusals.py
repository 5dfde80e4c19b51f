"""Bad input is refused with a sentence that names the offender and its value."""

import pytest


def refuses(error, words, call, *arguments, **settings):
    """Assert that this call is refused with this error, whose sentence has these very words."""
    with pytest.raises(error) as caught:
        call(*arguments, **settings)
    assert words in str(caught.value), f"{words!r} is not in: {caught.value}"
    assert "\n" not in str(caught.value)
