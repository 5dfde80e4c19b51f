"""The scripts of the figures, asked in Node what they compute."""

import json
import subprocess
from pathlib import Path

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


class Script:
    """One node process that loads scripts of the figures and answers questions about them.

    `answers` is an object of JavaScript's: for each question a function of its values. It finds
    what the scripts export in `js`.
    """

    def __init__(self, folder, names, answers):
        (folder / "asked.mjs").write_text(ASKED % answers, "utf-8")
        node, _ = commands()
        scripts = [(FIGURES / name).as_uri() for name in names]
        command = [*node, str(folder / "asked.mjs"), *scripts]
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
