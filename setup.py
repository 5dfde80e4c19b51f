"""The compiled loops, which the package does without where they cannot be built."""

import sys
import sysconfig

from setuptools import Extension, setup

# One build for this Python and all later ones; without a global lock there is no such interface.
STABLE = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

# Every sum is rounded as it is written, whatever flags the environment brings along.
EXACT = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-fno-fast-math"]

setup(
    ext_modules=[
        Extension(
            "perceptron_notes.native._loops",
            ["perceptron_notes/native/_loops.c"],
            depends=[
                f"perceptron_notes/native/{name}.h" for name in ("mistakes", "lanes", "sparse")
            ],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
            extra_compile_args=EXACT,
            optional=True,
            py_limited_api=STABLE,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
