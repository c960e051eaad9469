"""`workshop.py bundle`: one archive with every package in it, for machines without a network.

Standard library only, like the rest of workshop.py. Who unpacks it runs `python workshop.py lab`:
the folder `wheels/` beside it is then where packages come from.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from harness.commands.environment import child_environment
from harness.commands.fitting import say
from harness.errors import WorkshopError

WHEELS = "wheels"  # the folder of packages in an archive, and beside workshop.py once unpacked
# What pip calls the machines that people bring; "this" is the one that makes the archive.
PLATFORMS: dict[str, tuple[str, ...]] = {
    "this": (),
    "linux": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "macos": ("macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"),
    "windows": ("win_amd64",),
}
_LEFT_OUT = {".git", ".venv", ".workshop", WHEELS, "__pycache__", ".env", "node_modules"}
_LEFT_OUT |= {".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"}


def make(root: Path, python: Path, platform: str, version: str, folder: Path) -> Path:
    """Write the archive into `folder` and return its path.

    `version` is the Python of the machines, such as "3.12". Raises WorkshopError when a package
    can't be had for them, or nothing can be written.
    """
    target = folder / f"agent-loop-workshop-{_named(platform)}-python{version}.zip"
    with tempfile.TemporaryDirectory(prefix="workshop-bundle-") as wheels:
        say(f"[1/2] Fetching the packages for {_named(platform)}, Python {version} ...")
        _download(root, python, platform, version, Path(wheels))
        say(f"[2/2] Writing {target.name} ...")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(root, Path(wheels), target)
        except OSError as error:
            target.unlink(missing_ok=True)
            raise WorkshopError(
                f"{target} could not be written: {error.strerror or error}.",
                "It needs 2 GB; name another folder with --to.",
            ) from None
    say(f"{target}: {target.stat().st_size / 1e6:,.0f} MB. Unpack it, then: python workshop.py lab")
    return target


def _named(platform: str) -> str:
    here = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    return here if platform == "this" else platform


def _download(root: Path, python: Path, platform: str, version: str, wheels: Path) -> None:
    command = [str(python), "-m", "pip", "download", "--disable-pip-version-check", "--no-input"]
    command += ["-q", "-r", str(root / "requirements.txt"), "-d", str(wheels)]
    if PLATFORMS[platform]:
        command += ["--only-binary=:all:", "--python-version", version]
        command += [word for tag in PLATFORMS[platform] for word in ("--platform", tag)]
    if subprocess.run(command, cwd=root, env=child_environment(), check=False).returncode:
        raise WorkshopError(
            "A package could not be fetched; pip's last lines say which and why.",
            "Check the network. A package without a wheel for that platform needs that platform: "
            "run this there, with --platform this.",
        )


def _write(root: Path, wheels: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path in _files(root):
            if path != target:
                archive.write(path, Path("agent-loop-workshop") / path.relative_to(root))
        for wheel in sorted(wheels.iterdir()):  # packed already
            name = Path("agent-loop-workshop") / WHEELS / wheel.name
            archive.write(wheel, name, compress_type=zipfile.ZIP_STORED)


def _files(root: Path) -> Iterator[Path]:
    """The files of the workshop: no environment, no caches, nothing of anybody's own."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _LEFT_OUT)
        for name in sorted(files):
            if name not in _LEFT_OUT and not name.endswith((".pyc", ".lock", ".zip")):
                yield Path(folder) / name
