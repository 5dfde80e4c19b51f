"""The wheel: what it holds, and that it works by itself."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest
from house import PACKAGE, ROOT

#: What is released is built before a release; everybody else installs from the sources.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package's wheel, built from a copy so that nothing old slips in, without a network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    made = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(PACKAGE, source / PACKAGE.name, ignore=made)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source]
    done = subprocess.run(build, capture_output=True, text=True, cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    compiled = {name for name in held if name.endswith((".so", ".pyd"))}
    present = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so", ".pyd")
    }
    assert held - compiled == present
    assert compiled <= {f"perceptron_notes/native/_loops{end}" for end in (".abi3.so", ".pyd")}
    assert {"perceptron_notes/iris.csv", "perceptron_notes/py.typed"} <= held
    assert any(name.endswith(".mplstyle") for name in held)


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """The Python of an environment with the wheel and NumPy, and nothing else."""
    home = tmp_path_factory.mktemp("bare") / "venv"
    venv.create(home, with_pip=False)
    paths = sysconfig.get_paths("venv", vars={"base": str(home), "platbase": str(home)})
    # A wheel for this machine is installed by unpacking it; NumPy is lent by ours.
    assert "-cp311-abi3-" in wheel.name
    site, lent = Path(paths["purelib"]), Path(np.__file__).parent
    zipfile.ZipFile(wheel).extractall(site)
    for folder in (lent, lent.with_name("numpy.libs")):
        if folder.exists():
            (site / folder.name).symlink_to(folder)
    return Path(paths["scripts"]) / Path(sys.executable).name


def test_the_readmes_first_example_needs_numpy_alone(bare, tmp_path):
    example = (ROOT / "README.md").read_text("utf-8").split("```python\n")[1].partition("```")[0]
    done = subprocess.run([bare, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "True"


def test_a_figure_says_in_one_sentence_what_is_to_be_installed(bare, tmp_path):
    code = "from perceptron_notes.figures import draw_data"
    done = subprocess.run([bare, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    *_, last = done.stderr.splitlines()
    assert last.startswith("ImportError: draw_data needs matplotlib")
    assert last.endswith("pip install matplotlib")
