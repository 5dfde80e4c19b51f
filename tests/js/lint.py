"""Check the types of the scripts with TypeScript, and their style with Biome."""

import subprocess
import sys
from pathlib import Path

from notes_site import npm

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LOOKED_AT = ["perceptron_notes/figures", "book", "tests"]


def main() -> int:
    """Run both; return what is not 0 if one of them complains."""
    npm.install(ROOT / "_build" / ".node")  # what the site's scripts import
    modules = npm.install(ROOT / "_build" / ".lint", HERE)
    node, _ = npm.commands()
    types = [*node, str(modules / "typescript/bin/tsc"), "--project", str(HERE / "tsconfig.json")]
    biome = [*node, str(modules / "@biomejs/biome/bin/biome"), "lint", "--error-on-warnings"]
    style = [*biome, f"--config-path={HERE / 'lint.json'}", *LOOKED_AT]
    return max(subprocess.run(command, cwd=ROOT).returncode for command in (types, style))


if __name__ == "__main__":
    sys.exit(main())
