"""Code that runs in the sandbox with a student's code: all of this package visible there."""
