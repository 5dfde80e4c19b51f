"""Write into both pyproject.toml where the book lives, for the page that a package index shows.

`repository: url` in `_config.yml` says it. While that is empty, there are no addresses.
"""

import re
from pathlib import Path

import yaml
from notes_site.links import pages_address

ROOT = Path(__file__).parent.parent


def urls(settings: dict, folder: str) -> dict[str, str]:
    """The addresses of a distribution, from the settings of the book."""
    repository = settings["repository"]["url"].rstrip("/").removesuffix(".git")
    if not repository:
        return {}
    site = (settings["html"]["baseurl"] or pages_address(repository)).rstrip("/")
    page = {".": "", "classroom": "/book/teaching.html"}[folder]
    return {
        **({"Homepage": site + page} if site else {}),
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/{settings['repository']['branch']}/CHANGELOG.md",
    }


def with_urls(text: str, addresses: dict[str, str]) -> str:
    """The text of a pyproject.toml with these addresses, and no others."""
    text = re.sub(r"^\[project\.urls\]\n(?:.+\n)*\n", "", text, flags=re.MULTILINE)
    lines = "".join(f'{name} = "{address}"\n' for name, address in addresses.items())
    table = f"[project.urls]\n{lines}\n" if lines else ""
    return text.replace("[project.scripts]\n", f"{table}[project.scripts]\n")


if __name__ == "__main__":
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    for folder in (".", "classroom"):
        file = ROOT / folder / "pyproject.toml"
        file.write_text(with_urls(file.read_text("utf-8"), urls(settings, folder)), "utf-8")
