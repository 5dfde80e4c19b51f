"""Run the figures' scripts in Node, to test what they compute."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from notes_site.npm import commands

FIGURES = Path(__file__).parent.parent.parent / "perceptron_notes" / "figures"

ASKED = """
import { createInterface } from "node:readline";
const modules = await Promise.all(process.argv.slice(2).map((name) => import(name)));
const js = Object.assign({}, ...modules);
const answers = %s;
for await (const line of createInterface({ input: process.stdin })) {
  const { what, ...rest } = JSON.parse(line);
  process.stdout.write(JSON.stringify(answers[what](rest)) + "\\n");
}
"""


def asking(answers, *names):
    """A fixture: a node process that loads scripts of the figures and answers questions about them.

    `answers` is an object of JavaScript's: for each question a function of its values. It finds
    what the scripts export in `js`.
    """

    @pytest.fixture(scope="module")
    def script(tmp_path_factory):
        program = tmp_path_factory.mktemp("asked") / "asked.mjs"
        program.write_text(ASKED % answers, "utf-8")
        command = [*commands()[0], str(program), *((FIGURES / name).as_uri() for name in names)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(command, **pipes) as process:

            def ask(what, **values):
                process.stdin.write(json.dumps({"what": what, **values}) + "\n")
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            yield ask

    return script


def area(corners):
    """The area of a polygon, or 0 without corners."""
    x, y = np.array(corners).reshape(-1, 2).T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
