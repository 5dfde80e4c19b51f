"""What runs in the sandbox beside a student's code: all of this package that is seen there."""
