"""What pyproject.toml cannot say: the compiled loops, and the page that a package index shows."""

import re
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

try:
    import tomllib
except ModuleNotFoundError:  # too old a Python; pip says so once past this file
    tomllib = None

# One build for this Python and all later ones; without a global lock there is no such interface,
# and a build for the browser serves the one Python that it is made for.
STABLE = (
    sys.implementation.name == "cpython"
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
    and "emscripten" not in sysconfig.get_platform()
)

# Every sum is rounded as it is written, whatever flags the environment brings along.
EXACT = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-fno-fast-math"]

#: What leads to a file of the repository, in Markdown and in HTML; and code, where nothing leads.
LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?!\w+:|#)([^()\s]+)\)")
ATTRIBUTE = re.compile(r"\b(src|srcset|href)=\"(?!\w+:|#)([^\"]+)\"")
PICTURE = re.compile(rf"<(?:img|source)\b[^>]*{ATTRIBUTE.pattern}[^>]*>")
ANCHOR = re.compile(rf"<a\b[^>]*{ATTRIBUTE.pattern}[^>]*>(.*?)</a>", re.DOTALL)
CODE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)


def readme_page(readme: str, source: str, version: str) -> str:
    """Make README a page that stands by itself: what leads to a file leads to that of this version.

    Where the repository has no address there are words alone, and no pictures.
    """
    raw, blob = (f"{source}/{kind}/v{version}/" for kind in ("raw", "blob"))

    def led(text: str) -> str:
        if not source:
            text = ANCHOR.sub(r"\3", PICTURE.sub("", text))
            return LINK.sub(lambda a: "" if a[1] else a[2], text)
        text = ATTRIBUTE.sub(lambda a: f'{a[1]}="{blob if a[1] == "href" else raw}{a[2]}"', text)
        return LINK.sub(lambda a: f"{a[1]}[{a[2]}]({raw if a[1] else blob}{a[3]})", text)

    return "".join(led(part) if i % 2 == 0 else part for i, part in enumerate(CODE.split(readme)))


if __name__ == "__main__":
    here = Path(__file__).parent
    settings = (here / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(settings)["project"] if tomllib else {"version": ""}
    setup(
        long_description=readme_page(
            (here / "README.md").read_text("utf-8"),
            project.get("urls", {}).get("Source", ""),
            project["version"],
        ),
        long_description_content_type="text/markdown",
        ext_modules=[
            Extension(
                "perceptron_notes.native._loops",
                ["perceptron_notes/native/_loops.c"],
                depends=[f"perceptron_notes/native/{name}.h" for name in ("mistakes", "lanes")],
                define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
                extra_compile_args=EXACT,
                optional=True,
                py_limited_api=STABLE,
            )
        ],
        options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
    )
