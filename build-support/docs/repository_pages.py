"""Pages from the root of the repository, and links between them and those of docs/.

Links are written for readers of the repository: `../SECURITY.md` in docs/, `docs/spark.md` in the README. On the site docs/ is the root, and
the README its first page. A link whose text is the name of a page gets its title. A link to a file that is no page becomes text.
"""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
import gain  # noqa: E402

log = get_plugin_logger(__name__)

ROOT = Path(__file__).resolve().parents[2]
ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
}
ASSETS = ("favicon.svg", "site.css")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
SCHEME = re.compile(r"[a-z]+:")


def on_config(config):
    if gain.PLOT.read_text(encoding="utf-8") != gain.drawn() or gain.PAGE.read_text(encoding="utf-8") != gain.page():
        log.warning("docs/images/gain.svg or docs/qualify.md differs from the published figures; python3 build-support/docs/gain.py mends it")
    config.site_dir = str(Path(config.site_dir).resolve())
    return config


def on_files(files, config):
    for path, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    for name in ASSETS:
        files.append(File.generated(config, name, abs_src_path=str(Path(__file__).with_name(name))))
    return files


def repository_path(page):
    for path, name in ROOT_PAGES.items():
        if page == name:
            return path
    return "docs/" + page


def site_path(path):
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/")
    return None


def title(path):
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def on_page_markdown(markdown, page, config, files):
    source = repository_path(page.file.src_uri)

    def replaced(link):
        image, text, target = link.groups()
        if SCHEME.match(target) or target.startswith("#"):
            return link.group()
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not (ROOT / path).exists():
            log.warning("%s: the link to %s leads nowhere", source, target)
            return link.group()
        goal = site_path(path)
        if goal is None:
            return text if text.startswith("`") else f"{text} (`{path}`)"
        if text in (target.partition("#")[0], path):
            # The name of a file says little on the site.
            text = title(path)
        relative = posixpath.relpath(goal, posixpath.dirname(page.file.src_uri) or ".")
        return f"{image}[{text}]({relative}{'#' + anchor if anchor else ''})"

    lines = []
    fenced = False
    for line in markdown.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        lines.append(line if fenced else LINK.sub(replaced, line))
    return "\n".join(lines)
