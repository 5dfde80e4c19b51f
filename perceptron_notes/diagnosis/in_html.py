"""A diagnosis as HTML: a fragment for a notebook, or a stand-alone file."""

import html

import numpy as np

from perceptron_notes._kit.palette import PALETTE
from perceptron_notes._kit.terminal import printable
from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.findings import Diagnosis
from perceptron_notes.diagnosis.in_words import Grid, headline, sections
from perceptron_notes.diagnosis.languages import say, told

#: More dots than this would hide each other.
_DOTS = 600
_WIDTH, _LANE = 420, 52

# Colours that can be told apart with any colour vision, on light and on dark.
_STYLE = f"""
.pn-diagnosis {{ max-width: 44rem; margin-top: 1.5rem; line-height: 1.5; }}
.pn-diagnosis h3 {{ margin: 0 0 .75rem; font-size: 1.25rem; }}
.pn-diagnosis h4 {{ margin: 1.5rem 0 .25rem; font-size: 1rem; }}
.pn-diagnosis p {{ margin: .4rem 0; }}
.pn-diagnosis .pn-scroll {{ overflow-x: auto; }}
.pn-diagnosis table {{ border-collapse: collapse; margin: .6rem 0; font-size: .9em;
  font-variant-numeric: tabular-nums; }}
.pn-diagnosis th, .pn-diagnosis td {{ padding: .2rem .8rem .2rem 0; text-align: right;
  background: none; white-space: nowrap; }}
.pn-diagnosis th {{ font-weight: 600; border-bottom: 1px solid currentColor; }}
.pn-diagnosis th:first-child, .pn-diagnosis td:first-child {{ text-align: left; }}
.pn-diagnosis svg {{ display: block; width: 100%; height: auto; margin: .75rem 0; }}
.pn-diagnosis .pn-no {{ fill: {PALETTE["negative"]}; }}
.pn-diagnosis .pn-yes {{ fill: {PALETTE["positive"]}; }}
.pn-diagnosis .pn-wrong {{ fill: none; stroke: currentColor; stroke-width: 1.5; }}
.pn-diagnosis svg text {{ fill: currentColor; font: 12px system-ui, sans-serif; }}
"""


def _escape(text: str) -> str:
    """Return a text escaped for HTML, without control characters; "95 %" stays in one line."""
    return html.escape(printable(text)).replace(" %", "\u00a0%")


def fragment(found: Diagnosis) -> str:
    """Return the report as HTML for a notebook."""
    parts = [f"<style>{_STYLE}</style>", f"<h3>{_escape(headline(found))}</h3>"]
    if found.scores is not None:
        parts.append(_picture(found, found.scores))
    for section in sections(found):
        parts.append(f"<h4>{_escape(section.title)}</h4>")
        parts += [
            _table(part) if isinstance(part, Grid) else f"<p>{_escape(part)}</p>"
            for part in section.parts
        ]
    lang = f' lang="{told(say("language"), found.language)}"' if found.language != "en" else ""
    return f'<div class="pn-diagnosis"{lang}>{"".join(parts)}</div>'


def html_page(found: Diagnosis, title: str) -> str:
    """Return the report as a page that needs no other file."""
    return (
        f'<!doctype html>\n<html lang="{told(say("language"), found.language)}">'
        '<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_escape(title)}</title>"
        "<style>body { margin: 2rem auto; max-width: 44rem; padding: 0 1rem;"
        " font-family: system-ui, sans-serif; }</style></head>"
        f"<body><main><h1>{_escape(title)}</h1>{fragment(found)}</main></body></html>\n"
    )


def _table(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{_escape(head)}</th>' for head in grid.heads)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_escape(cell)}</td>' for cell in row)}</tr>" for row in grid.rows
    )
    return (
        f'<div class="pn-scroll" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _picture(found: Diagnosis, scores: Array) -> str:
    """Draw the rows of both classes along the scores of the plane; return the SVG."""
    positive = found.table.y == 1
    wrong = np.where(positive, scores, -scores) <= 0
    # The square root spreads out the scores near the plane.
    size = float(np.abs(scores).max()) or 1.0
    places = np.sign(scores) * np.sqrt(np.abs(scores) / size)
    dots = []
    rng = np.random.default_rng(0)
    for lane, (ours, mark) in enumerate(((positive, "pn-yes"), (~positive, "pn-no"))):
        rows = np.flatnonzero(ours)
        if len(rows) > _DOTS:  # all mistakes, and some of the others
            others = rng.permutation(rows[~wrong[rows]])[:_DOTS]
            rows = np.sort(np.concatenate([rows[wrong[rows]][:_DOTS], others]))
        for i, shift in zip(rows.tolist(), rng.uniform(-12, 12, len(rows)).tolist(), strict=True):
            x = _WIDTH / 2 * (1 + 0.97 * places[i])
            y = 32 + _LANE * lane + shift
            row = told(say("row_at", row=found.table.rows[i]), found.language)
            title = f"<title>{_escape(row)}</title>"
            dots.append(f'<circle class="{mark}" cx="{x:.1f}" cy="{y:.1f}" r="3">{title}</circle>')
            if wrong[i]:
                dots.append(f'<circle class="pn-wrong" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>')
    height = 8 + 2 * _LANE
    names = "".join(
        f'<text x="0" y="{12 + _LANE * lane}">{_escape(f"{found.table.target} = {c}")}</text>'
        for lane, c in enumerate(reversed(found.table.called))
    )
    said = say("wrong_side", k=int(wrong.sum()), n=len(scores))
    label, below = told([said, say("picture", said=said)], found.language)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">'
        f'<line x1="{_WIDTH / 2}" x2="{_WIDTH / 2}" y1="0" y2="{height}"'
        ' stroke="currentColor" stroke-width="1" opacity=".6"/>'
        f"{''.join(dots)}{names}</svg>"
        f"<p>{below}</p>"
    )
