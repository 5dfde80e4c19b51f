"""Whether this machine can grade: what is there, what is missing, and what to do about it."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from perceptron_classroom.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_classroom.grading.session import Session
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.terminal import install
from perceptron_classroom.inside import seccomp

__all__ = ["Sign", "examine"]

#: The number of the system call that makes a set of Landlock's rules, and "which version?".
LANDLOCK, VERSION = 444, 1
#: Bytes that one job may need: a student's process and the grader's own.
JOB = 1.5e9


@dataclass(frozen=True)
class Sign:
    """One thing that was looked at."""

    #: ``None`` where grading works without, but less well.
    good: bool | None
    #: What was found.
    what: str
    #: What to do, if anything.
    advice: str = ""


def examine() -> Iterator[Sign]:
    """Look at everything that grading needs."""
    if not sys.platform.startswith("linux"):
        yield Sign(
            False,
            f"{platform.system()}, where there is no bubblewrap",
            "Grade on Linux, in WSL, or in the container that the Containerfile makes.",
        )
        yield from packages()
        return
    yield Sign(True, f"Linux {platform.release()}, {platform.machine()}")
    yield bubblewrap()
    yield user_namespaces()
    yield system_calls()
    yield sandbox_runs()
    yield landlock()
    yield memory()
    yield who()
    yield from packages()


def bubblewrap() -> Sign:
    """Check the program that confines students' code."""
    found = shutil.which("bwrap")
    if found is None:
        return Sign(False, "no bubblewrap", "On Debian and Ubuntu: apt-get install bubblewrap.")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    numbers = [int(number) for number in re.findall(r"\d+", said)[:2]]
    if numbers < [0, 7]:
        return Sign(
            False,
            f"{said.strip() or found}, which cannot limit the memory of files",
            "Install version 0.7 or newer; Debian 12 and Ubuntu 23.04 have it.",
        )
    return Sign(True, said.strip())


def setting(name: str) -> str:
    """Read a setting of the kernel; empty if it has none of this name."""
    path = Path("/proc/sys") / name
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def user_namespaces() -> Sign:
    """Check whether an ordinary user may make a sandbox."""
    what = "user namespaces for ordinary users"
    if os.getuid() == 0:
        return Sign(True, f"{what}: not needed, because this is root")
    if setting("kernel/unprivileged_userns_clone") == "0":
        return Sign(False, f"no {what}", "sudo sysctl -w kernel.unprivileged_userns_clone=1")
    if setting("user/max_user_namespaces") == "0":
        return Sign(False, f"no {what}", "sudo sysctl -w user.max_user_namespaces=10000")
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return Sign(
            None,
            f"{what} only for programs that AppArmor names",
            "If the sandbox does not start, give bubblewrap the profile on the teachers' page.",
        )
    return Sign(True, what)


def system_calls() -> Sign:
    """Check whether students' processes can be kept from dangerous calls of the system."""
    if seccomp.program() is None:
        return Sign(
            None,
            f"no filter of system calls for {platform.machine()}",
            "Grade on x86-64 or ARM64, or trust the namespaces alone.",
        )
    return Sign(True, "a filter of system calls (seccomp)")


def sandbox_runs() -> Sign:
    """Grade a notebook of one cell, which proves that grading works."""
    shelter, graded = Sandbox(seconds=60, fonts=gather_fonts()), Graded()
    try:
        with Session(shelter, ["import numpy, matplotlib.pyplot"], [], 60) as session:
            session.run(graded)
    except (Refused, OSError) as error:
        advice = "The end of the teachers' page says what to do on Ubuntu and in containers."
        return Sign(False, f"a sandbox does not start: {error}", advice)
    finally:
        shelter.close()
    if graded.status != "ok":
        return Sign(False, f"a notebook of one cell fails: {'; '.join(graded.remarks)}")
    return Sign(True, "a notebook runs in a sandbox")


def landlock() -> Sign:
    """Check whether the kernel can take rights on files away for good."""
    version = ctypes.CDLL(None, use_errno=True).syscall(LANDLOCK, None, 0, VERSION)
    if version < 1:
        return Sign(None, "no Landlock: the namespaces alone keep students' code from files")
    return Sign(True, f"Landlock, version {version}")


def memory() -> Sign:
    """Check how many submissions can be graded at once."""
    fields = dict(re.findall(r"(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text()))
    free = int(fields.get("MemAvailable", 0)) * 1024
    jobs = int(free // JOB)
    what = f"{free / 1e9:.1f} GB of free memory"
    if jobs < 1:
        return Sign(False, what, "A submission may need 1.5 GB; end other programs.")
    if jobs < (os.cpu_count() or 1):
        return Sign(None, what, f"Give --jobs {jobs}, so that all can use what they may.")
    return Sign(True, f"{what}, for {os.cpu_count()} jobs at once")


def who() -> Sign:
    """Warn root, who grades with more at stake."""
    if os.getuid() == 0:
        return Sign(None, "you are root", "Grade as an ordinary user where you can.")
    return Sign(True, "you are an ordinary user")


def needed() -> Iterator[Requirement]:
    """Yield what this package brings along, as it says itself."""
    for line in metadata.requires("perceptron_classroom") or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            yield wanted


def packages() -> Iterator[Sign]:
    """Check the libraries, and the fonts."""
    yield Sign(True, f"Python {platform.python_version()}")
    lacking: dict[str, str] = {}  # what is wrong, by the package to install
    for wanted in needed():
        try:
            version = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            lacking[str(wanted)] = f"no {wanted.name}"
            continue
        if wanted.specifier.contains(version, prereleases=True):
            yield Sign(True, f"{wanted.name} {version}")
        else:
            lacking[str(wanted)] = f"{wanted.name} {version} (expected {wanted.specifier})"
    if lacking:
        yield Sign(False, ", ".join(lacking.values()), install(*lacking))
    if gather_fonts() is None:
        yield Sign(None, "matplotlib finds no fonts", "Pictures will take longer to draw.")
    else:
        yield Sign(True, "fonts")
