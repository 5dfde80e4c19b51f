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
from house import PACKAGE, ROOT, run

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


def test_the_wheel_works_in_a_clean_environment_and_another_folder(wheel, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    paths = sysconfig.get_paths("venv", vars={"base": str(home), "platbase": str(home)})
    site = Path(paths["purelib"])
    # A wheel for this machine is installed by unpacking it; numpy is lent, after it, by ours.
    assert "-cp311-abi3-" in wheel.name
    zipfile.ZipFile(wheel).extractall(site)
    (site / "lent.pth").write_text(f"{Path(np.__file__).parent.parent}\n", encoding="utf-8")
    code = """if True:
        import json
        from importlib.metadata import version
        import perceptron_notes
        from perceptron_notes import iris, pla, record
        print(json.dumps([
            perceptron_notes.__file__,
            perceptron_notes.__version__ == version("perceptron_notes"),
            record(pla(iris("setosa"))).converged,
        ]))"""
    python = Path(paths["scripts"]) / Path(sys.executable).name
    file, same_version, converged = run(python, code, tmp_path)
    assert Path(file).resolve().is_relative_to(home.resolve())
    assert same_version
    assert converged
