"""Correct the output of sphinx-proof and sphinx-exercise: statements, proofs and solutions.

- They give every statement on a page the same ids (`proof`, `proof-content`, …), which is not valid
  HTML: those ids go.
- The word "Proof." that opens a proof is set in italics, and the proof gets a class of its own.
- Blocks with `:class: dropdown`, such as solutions and long proofs, fold as a `<details>`,
  without a script.
- So do the answers in the museum: they stay sections with headings, to which links lead, but
  the question comes first.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import proof_node

from .editions import speaker

PROOF = "Proof. "
ANSWER = "what-is-wrong-with-exhibit"
REPEATED = {"proof", "proof-content", "exercise-content", "solution-content"}


class Mend(SphinxPostTransform):
    """Drops the repeated ids (only now, as Sphinx numbers sections by them); styles the proofs."""

    default_priority = 500

    def run(self, **_kwargs: Any) -> None:
        """Process the statements and proofs of the page."""
        for node in self.document.findall(nodes.Element):
            node["ids"] = [name for name in node["ids"] if name not in REPEATED]
        said = speaker(self.config.language)(PROOF)
        # Han has no italics, and no space after its full stop.
        dress, blank = (nodes.emphasis, " ") if said == PROOF else (nodes.strong, "")
        for proof in self.document.findall(proof_node):
            proof[0]["classes"].append("proof-text")
            text = next(iter(proof.findall(nodes.Text)), nodes.Text(""))
            begins = [one for one in (said, PROOF) if text.startswith(one)]
            if not begins:
                continue
            word, rest = dress("", begins[0].strip()), text.removeprefix(begins[0])
            if "dropdown" in proof[0]["classes"]:
                text.parent.replace(text, nodes.Text(rest))
                proof[0].insert(0, nodes.title("", "", word))
            else:
                text.parent.replace(text, [word, nodes.Text(blank + rest)])


class Fold(SphinxPostTransform):
    """Turns dropdowns into folds, for HTML."""

    default_priority = 500  # after sphinx-exercise has written the titles
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Replace each titled block of class `dropdown`."""
        for block in list(self.document.findall(nodes.Admonition)):
            if "dropdown" not in block["classes"] or not isinstance(block[0], nodes.title):
                continue
            title, *rest = block
            for link in list(title.findall(nodes.reference)):  # a click must open the fold
                link.replace_self(link.children)
            kind = " ".join(name for name in block["classes"] if name != "dropdown")
            ids = "".join(f'<span id="{name}"></span>' for name in block["ids"][1:])
            name = f' id="{block["ids"][0]}"' if block["ids"] else ""
            begin = f'<details class="{kind} folded"{name}>{ids}<summary>'
            parts = [html(begin), *title.children, html("</summary>\n"), *rest]
            place = block.parent.index(block)
            block.parent[place : place + 1] = [*parts, html("</details>\n")]
        for section in self.document.findall(nodes.section):
            if any(name.startswith(ANSWER) for name in section["ids"]):
                section.insert(
                    section.index(section.next_node(nodes.title)) + 1, html("</summary>\n")
                )
                section.insert(0, html('<details class="folded"><summary>'))
                section.append(html("</details>\n"))


def html(text: str) -> nodes.raw:
    """Return a node of raw HTML."""
    return nodes.raw("", text, format="html")


def setup(app: Sphinx) -> None:
    """Add the transforms."""
    app.add_post_transform(Mend)
    app.add_post_transform(Fold)
