"""Grade a class of notebooks: the command ``perceptron-classroom``.

A submission runs in a process of its own (`inside.worker`), shut into a sandbox (`sandbox`), and
does nothing but answer calls that travel as JSON (`inside.calls`). Data are drawn and answers
compared on this side (`submission`), so what a notebook does to itself decides nothing.
Around it: whose is what (`collect`, `spelling`), many submissions at once (`batch`), a journal
of what is done (`journal`), the table of points (`table`, `late`), a page for every student
(`report`), marking by a person (`marking`, `marks`), and what a teacher does with
them all (`analysis`, `lms`). Each command stands in `commands`.
"""

__all__: list[str] = []
