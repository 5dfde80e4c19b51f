"""Grade a class of notebooks: the command ``perceptron-classroom``.

A submission runs in a process of its own (`inside.worker`), shut into a sandbox (`sandbox`), and
does nothing but answer calls that travel as JSON (`inside.calls`). Data are drawn and answers
compared on this side (`submission`), so what a notebook does to itself decides nothing.
Around it: finding each file's owner (`collect`, `spelling`), many submissions at once (`batch`), a
journal of progress (`journal`), the table of points (`table`, `late`), a page for every student
(`report`), marking by a person (`marking`, `marks`), and the evaluation and export of
the results (`analysis`, `lms`). Each command has a module in `commands`.
"""

__all__: list[str] = []
