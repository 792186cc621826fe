# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""How the pictures of all scripts look: colors, marks, and SVG files whose colors follow the page's scheme."""

import re
import sys

# Stand-ins that the style sheet below replaces: for a light page, for a dark page.
INK = {"#010101": ("#24292f", "#d0d7de"), "#020202": ("#d8dee4", "#30363d")}
LINES = {
    "#010001": ("#0072b2", "#56b4e9"),
    "#020001": ("#b34700", "#ff9f43"),
    "#030001": ("#007a5a", "#2fd0a0"),
    "#040001": ("#a03e78", "#e3a0c8"),
    "#050001": ("#7a6000", "#f0e442"),
    "#060001": ("#5b5b5b", "#b8b8b8"),
    "#070001": ("#5a3fc0", "#b5a3ff"),
    "#080001": ("#9c1c1c", "#ff8080"),
}
MARKS = "os^Dv<P*"


def style_sheet():
    def rules(column):
        return "".join(f"--c{name[1:]}:{pair[column]};" for name, pair in (INK | LINES).items())

    return f"<style>:root{{{rules(0)}}}@media (prefers-color-scheme:dark){{:root{{{rules(1)}}}}}</style>"


def save(figure, path):
    """An SVG whose colors follow the page's scheme; the same bytes for the same records."""
    figure.savefig(path, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = re.sub(r"px 'DejaVu Sans'[^;\"]*", "px sans-serif", path.read_text(encoding="utf-8"))
    for stand_in in INK | LINES:
        text = text.replace(stand_in, f"var(--c{stand_in[1:]})")
    at = text.index(">", text.index("<svg")) + 1
    rest = "\n".join(line.rstrip() for line in text[at:].splitlines())
    path.write_text(text[:at] + style_sheet() + rest + "\n", encoding="utf-8")
    print(path)


def setup():
    """Before the first figure."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        sys.exit("there is no matplotlib for this Python; scripts/install_deps.sh plot installs it")
    matplotlib.use("svg")
    ink, grid = INK
    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none", "lines.markersize": 6, "svg.hashsalt": "espalier", "font.family": "sans-serif", "font.size": 10,
            "text.color": ink, "axes.labelcolor": ink, "axes.edgecolor": ink, "xtick.color": ink, "ytick.color": ink,
            "grid.color": grid, "axes.grid": True, "axes.spines.top": False, "axes.spines.right": False,
            "axes.titlesize": 10,
        }
    )
