"""The site of the documentation, from the Markdown of docs/ and the docstrings: `make docs`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

project, author = "littlestone", "The littlestone developers"
release = re.search(r'"(.+)"', (ROOT / "src/littlestone/_version.py").read_text("utf-8"))[1]
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["examples/own_*"]
html_theme = "furo"
html_title = f"littlestone {release}"
html_show_sourcelink = html_show_copyright = False
myst_heading_anchors = 4
nb_execution_timeout, nb_execution_raise_on_error = 300, True  # notebooks are stored without output, and run for the site
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]


def to_sources(app, docname, source):
    """Links to files of the repository that are no pages are named, not followed: the site stands by itself."""
    source[0] = re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:src|tests|scripts|benchmarks|examples)[^)]*\)", r"\1", source[0])
    source[0] = re.sub(r"\[([^\]]+)\]\((?:\.\./)+([A-Z]+\.md)[^)]*\)", r"\1 (\2)", source[0])
    source[0] = re.sub(r"\[([^\]]+)\]\(examples/own_[^)]*\)", r"\1", source[0])
    if docname == "commands":
        source[0] += commands()


def commands():
    """The help of every command, as the program prints it: Markdown."""
    import typer
    from typer.testing import CliRunner

    from littlestone.cli import app

    names = typer.main.get_command(app).commands
    helps = ((name, CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "100"}).output.strip()) for name in names)
    return "".join(f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in helps)


def as_text(app, what, name, obj, options, lines):
    """Docstrings are plain text in paragraphs, with examples and `code`: signs that would be markup are kept as they are."""
    shown: list[str] = []
    for chunk in "\n".join(lines).strip().split("\n\n"):
        if chunk.lstrip().startswith(">>>"):
            shown += [*chunk.splitlines(), ""]
        elif chunk.startswith((" ", "|")):
            shown += ["::", "", *(f"    {line}" for line in chunk.splitlines()), ""]
        else:
            parts = re.split("(`[^`]+`)", " ".join(chunk.split()))
            shown += ["".join(part if part.startswith("`") else re.sub(r"([\\*_|`])", r"\\\1", part) for part in parts), ""]
    lines[:] = shown


def with_levels(app, error):
    """The theme calls the captions of its menu headings, and does not say of which level: who cannot see them needs it."""
    if error is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text("utf-8")
            page.write_text(text.replace('class="caption" role="heading">', 'class="caption" role="heading" aria-level="2">'), "utf-8")


def setup(app):
    app.connect("env-get-outdated", lambda *_: ["commands", "reference"])  # made from the program, whatever the page's own date
    app.connect("build-finished", with_levels)
    app.connect("source-read", to_sources)
    app.connect("autodoc-process-docstring", as_text)
