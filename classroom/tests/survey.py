"""Put every wrong and every right program to its check, with many seeds: `make mutants`.

Prints a line for each check, and below it each program that falls short: a wrong one that gets
through with more than one seed in a hundred, a right one that is ever refused. Then it puts the
promise of question 2.5 to the test, with many more seeds.

    PYTHONPATH=tests python classroom/tests/survey.py [--seeds 100] [--only pla,best_line]
        [--promise 2000] [--jobs 2]
"""

import argparse
import dataclasses
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from time import process_time

import mutants
from exhibits import BOOK, definitions
from perceptron_classroom.checks import ALL
from perceptron_classroom.checks.proof import until_known

#: A run of question 2.5 ends or cycles within this many updates: `halts` promises that.
PROMISED = 20_000
#: What the bug museum defines.
_, EXHIBITS = definitions(BOOK / "museum.ipynb")
#: Wrong ones in the table of the check, in the museum, and written for this; and right ones.
KINDS = ("known", "museum", "wrong", "right")


def programs(name, kinds=KINDS):
    """The programs for a check: kind, name, function."""
    return [program for program in every_program(name) if program[0] in kinds]


def every_program(name):
    """Those that are known to the check itself, then those of `mutants`."""
    yield from (("known", slip.hint, slip.program) for slip in ALL[name].slips)
    for exhibit, (asked, program) in mutants.museum(EXHIBITS).items():
        if asked == name and callable(program):  # a text is the beginning of a known mistake's hint
            yield "museum", exhibit, program
    for kind, table in (("wrong", mutants.WRONG), ("right", mutants.RIGHT)):
        for number, program in enumerate(table[name]):
            yield kind, getattr(program, "__name__", f"number {number}"), program


def drawn_once(check, seed):
    """The check with the data of one seed, drawn once for all programs, and without hints."""

    def kept(draw):
        drawn = []

        def again(rng):
            if not drawn:
                drawn.extend(draw(rng))
            return iter(drawn)

        return again

    groups = {group: kept(draw) for group, draw in check.groups.items()}
    return dataclasses.replace(check, groups=groups, slips=())


def quick(check):
    """The same check with its first group alone, which has answers of every shape."""
    return dataclasses.replace(check, groups=dict(islice(check.groups.items(), 1)))


def tried(name, seed):
    """Whether each program of a check is caught with this seed, and how many seconds that took."""
    check, found = drawn_once(ALL[name], seed), []
    for _, _, program in programs(name):
        start = process_time()
        finding = check.examine(program, seed)
        found.append((finding is not None, process_time() - start))
    return found


def breaks_the_promise(seed):
    """Whether some data of question 2.5 take longer than promised."""
    return any(
        until_known(*arguments.values(), PROMISED) is None
        for cases in ALL["halts"].cases(seed).values()
        for arguments in cases.values()
    )


def survey(name, seeds, run):
    """A row for each program: check, kind, name, caught, tried, seconds, seeds that it evades."""
    columns = zip(*run(partial(tried, name), seeds), strict=True)
    for (kind, program, _), column in zip(programs(name), columns, strict=True):
        caught = [hit for hit, _ in column]
        missed = [seed for seed, hit in zip(seeds, caught, strict=True) if hit == (kind == "right")]
        seconds = sum(spent for _, spent in column) / len(seeds)
        yield name, kind, program, sum(caught), len(seeds), round(seconds, 3), missed


def falls_short(row):
    """Whether a wrong program is missed too often, or a right one refused at all."""
    _, kind, _, _, count, _, missed = row
    return len(missed) > (0 if kind == "right" else count // 100)


def main():
    """Print the table; the exit status says whether some program falls short."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--only", default=",".join(ALL), help="names of checks, with commas")
    parser.add_argument("--promise", type=int, default=2000, help="seeds for question 2.5")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds, short = range(options.seeds), []
    with ProcessPoolExecutor(options.jobs) as pool:
        for name in options.only.split(","):
            found = list(survey(name, seeds, pool.map))
            short += (bad := [row for row in found if falls_short(row)])
            right = sum(row[1] == "right" for row in found)
            print(
                f"{name:12} {len(found) - right:4} wrong, {right:3} right, {len(seeds)} seeds: "
                f"{len(bad)} fall short ({sum(row[5] for row in found):.1f} s a seed)"
            )
            for row in bad:
                print(f"    {row[1]} {row[2]}: caught with {row[3]}, evaded with {row[6][:12]}")
            sys.stdout.flush()
        if "halts" in options.only:
            broken = sum(pool.map(breaks_the_promise, range(options.promise), chunksize=10))
            print(f"question 2.5 breaks its promise with {broken} of {options.promise} seeds")
    sys.exit(bool(short or ("halts" in options.only and broken)))


if __name__ == "__main__":
    main()
