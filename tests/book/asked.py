"""The shipped scripts, asked in Node what they compute."""

import json
import subprocess

import numpy as np
from notes_site.npm import commands

ASKED = """
import { createInterface } from "node:readline";
const js = await import(process.argv[2]);
const bits = (v) => Buffer.from(Float64Array.from(v).buffer).toString("hex");
const answers = %s;
for await (const line of createInterface({ input: process.stdin })) {
  const { what, ...rest } = JSON.parse(line);
  process.stdout.write(JSON.stringify(answers[what](rest)) + "\\n");
}
"""


class Script:
    """One node process that runs a script and answers questions about it.

    `answers` is an object of JavaScript's: for each question a function of its values. It finds
    what the script exports in `js`, and `bits` for numbers of which every bit counts.
    """

    def __init__(self, folder, source, answers):
        (folder / "script.mjs").write_text(source, "utf-8")
        (folder / "asked.mjs").write_text(ASKED % answers, "utf-8")
        node, _ = commands()
        command = [*node, str(folder / "asked.mjs"), (folder / "script.mjs").as_uri()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, **pipes)

    def __call__(self, what, **values):
        self.process.stdin.write(json.dumps({"what": what, **values}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def bits(values):
    return np.asarray(values, dtype=np.float64).tobytes().hex()
