"""``perceptron-notes diagnose``: a report about a table in a file."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from perceptron_notes._kit.terminal import Commands, printable, reason, say
from perceptron_notes.diagnosis import EXAMPLE, diagnose
from perceptron_notes.diagnosis.files import load_table
from perceptron_notes.diagnosis.in_html import html_page
from perceptron_notes.diagnosis.in_words import text
from perceptron_notes.diagnosis.languages import LANGUAGES

_SEPARABLE, _NOT, _WRONG, _FAILED = 0, 1, 2, 3


def add(commands: Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "diagnose",
        help="is a table linearly separable, why not, and what to do about it",
        description="Decide whether planes divide the classes of a table, with a proof, and say "
        "what that means for the perceptron and for logistic regression.",
        epilog="Exit code: 0 if planes divide the classes, 1 if not, 2 if the arguments or the "
        "file cannot be used, 3 if something failed.",
    )
    column: Any = {"metavar": "COLUMN"}
    columns: Any = {"metavar": "COLUMN", "action": "append", "default": []}
    add = parser.add_argument
    add("file", type=Path, nargs="?", help="CSV with a line of names, a workbook, …; - for a pipe")
    add("--label", **column, help="the classes")
    add("--example", action="store_true", help="79 patients, in place of a file and its label")
    add("--leave-out", **columns, help="not to be used, such as an identity; repeatable")
    add("--category", **columns, help="numbers that are names, such as years; repeatable")
    add("--missing", **columns | {"metavar": "VALUE"}, help="a gap, such as -999; repeatable")
    add("--interaction", **columns | {"metavar": "A:B"}, help="their products; repeatable")
    add("--weights", **column, help="how often each row counts")
    add("--no-intercept", action="store_true", help="only planes through the origin")
    add("--no-names", action="store_true", help="no line of names: column 1, column 2, …")
    add("--encoding", default="utf-8", help="of the file, such as cp1252 (default: utf-8)")
    add("--html", type=Path, metavar="FILE", help="write the report as a page")
    add("--json", action="store_true", help="print it for programs instead")
    add("--language", choices=LANGUAGES, default="en", help="of the report (default: en)")
    add("--seconds", type=float, default=60.0, help="processor time beyond verdicts (default: 60)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Report on the file; return 0 if its classes are separable, 1 if not, 2 or 3 in trouble."""
    progress = _progress if sys.stderr.isatty() else None
    try:
        file, label = _asked(options)
        found = diagnose(
            load_table(file, not options.no_names, options.encoding, options.missing),
            label,
            weights=options.weights,
            category=options.category,
            leave_out=options.leave_out,
            missing=options.missing,
            interaction=options.interaction,
            intercept=not options.no_intercept,
            seconds=options.seconds,
            progress=progress,
            language=options.language,
        )
        if progress:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if options.html:
            title = "standard input" if file == Path("-") else file.name
            options.html.write_text(html_page(found, title), encoding="utf-8")
    except (ValueError, TypeError, OSError) as error:
        say(f"perceptron-notes: {reason(error)}")
        return _WRONG
    except Exception as error:  # must not be mistaken for "not separable"
        say(f"perceptron-notes: {type(error).__name__}: {error}")
        return _FAILED
    try:
        say(json.dumps(found.to_dict(), indent=2) if options.json else text(found), sys.stdout)
    except BrokenPipeError:  # the reader closed the pipe early
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _SEPARABLE if found.separable else _NOT


def _asked(options: argparse.Namespace) -> tuple[Path, str]:
    """Return the file and the label; raise an error before any work is done in vain."""
    file, label, page_ = options.file, options.label, options.html
    if options.example:
        if file or label:
            raise ValueError("--example brings a table and its label; expected neither beside it")
        file, label = EXAMPLE, "HG"
    elif not file or not label:
        raise ValueError("expected a file and --label COLUMN, or --example")
    if page_ and page_.exists() and file.exists() and page_.samefile(file):
        raise ValueError(f"--html {page_} is the table itself; expected another file")
    if page_ and not page_.parent.is_dir():
        raise ValueError(f"--html {page_}: there is no folder {page_.parent}")
    return file, label


def _progress(sentence: str) -> None:
    """Show the progress in one line of the terminal."""
    print(f"\r\033[K{printable(sentence)[:78]}", end="", file=sys.stderr, flush=True)
