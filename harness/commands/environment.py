"""The virtual environment: made once, stamped, repaired when an install was interrupted."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.commands.fitting import say
from harness.errors import WorkshopError

STAMP = "workshop-installed"
PREPARED = "workshop-prepared"


def ensure(root: Path) -> Path:
    """The environment's Python, with everything in requirements.txt installed.

    Where the stamp is right this only reads two small files. Raises WorkshopError when the
    environment can't be made.
    """
    venv = root / ".venv"
    if _stamped(root, venv):
        return python_of(venv)
    try:
        with _one_at_a_time(root / ".venv.lock"):
            if not _stamped(root, venv):
                _make_and_install(root, venv)
    except OSError as error:
        raise WorkshopError(
            f".venv could not be made: {error.strerror or type(error).__name__} "
            f"({error.filename or venv}).",
            "Is the folder yours to write, and does it have room? Then run this again.",
        ) from None
    return python_of(venv)


def prepare(root: Path, python: Path) -> None:
    """Build the embedded databases, unless nothing changed since they were built."""
    stamp = root / ".venv" / PREPARED
    now = _fingerprint(root, root / ".venv") + _listing(root / "data")
    if stamp.exists() and stamp.read_text(encoding="utf-8") == now:
        return
    say("Preparing the databases (once) ...")
    done = subprocess.run(
        [str(python), "-m", "harness", "prepare"], cwd=root, env=child_environment(), check=False
    )
    if done.returncode:
        raise WorkshopError(
            "The databases could not be prepared; the lines above say why.",
            "Mend it and run the same command again; `python workshop.py doctor` looks closer.",
        )
    stamp.write_text(now, encoding="utf-8")


def forget_install(root: Path) -> None:
    """Let the next `ensure` install again what is missing or wrong."""
    (root / ".venv" / STAMP).unlink(missing_ok=True)


def python_of(venv: Path) -> Path:
    """Where the interpreter of an environment is."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def child_environment(**extra: str) -> dict[str, str]:
    """The environment of child processes: UTF-8 everywhere, also on Windows.

    They keep their compiled modules, whatever the shell says: each start would compile all again.
    """
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONUTF8": "1", **extra}


def become(command: list[str]) -> int:
    """Go on as `command`: signals and the exit code are then its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execve(command[0], command, child_environment())
    process = subprocess.Popen(command, env=child_environment())
    while True:  # Windows has no exec: wait, and leave Ctrl-C to the child
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def _stamped(root: Path, venv: Path) -> bool:
    stamp = venv / STAMP
    return (
        python_of(venv).exists()
        and stamp.exists()
        and stamp.read_text(encoding="utf-8") == _fingerprint(root, venv)
    )


def _fingerprint(root: Path, venv: Path) -> str:
    """A hash of what was asked for, of the environment's Python and of where both are."""
    parts = [
        (root / "requirements.txt").read_text(encoding="utf-8"),
        _version_of(venv),
        str(root),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()


def _version_of(venv: Path) -> str:
    """The Python version of an environment, such as "3.11.7"; "" where there is none."""
    config = venv / "pyvenv.cfg"
    if not config.exists():
        return ""
    for line in config.read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if name.strip() in ("version", "version_info"):
            return value.strip()
    return ""


def _listing(folder: Path) -> str:
    """A hash of names, sizes and times of change below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc")
    lines = [f"{p.relative_to(folder)} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in files]
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


def _make_and_install(root: Path, venv: Path) -> None:
    """What the stamp vouches for. It is written last, so nothing half-done has it."""
    if venv.is_dir():
        (venv / STAMP).unlink(missing_ok=True)
    _make(venv)
    _install(root, venv)
    _put_on_path(root, venv)
    (venv / STAMP).write_text(_fingerprint(root, venv), encoding="utf-8")


def _make(venv: Path) -> None:
    """Make the environment, or make it anew where its Python is gone, broken or too old."""
    if _sound(venv):
        return
    say("[1/2] Making .venv ...")
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [base, "-m", "venv", "--clear", str(venv)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if made.returncode or not _sound(venv):
        lines = (made.stdout + made.stderr).strip().splitlines()
        hint = (
            "Install Python's venv module (sudo apt install python3-venv) and run this again."
            if "ensurepip" in made.stdout + made.stderr
            else "Is the folder writable, and does it have room? Then run this again."
        )
        raise WorkshopError(f".venv could not be made: {lines[0] if lines else base}", hint)


def _sound(venv: Path) -> bool:
    """Whether the environment's Python starts, is new enough and has pip."""
    code = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        command = [str(python_of(venv)), "-c", code]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _install(root: Path, venv: Path) -> None:
    say("[2/2] Installing requirements.txt (once: a few minutes, 2.3 GB on disk) ...")
    command = [str(python_of(venv)), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", *_offline(root), "-r", str(root / "requirements.txt")]
    if _pip(command, root):
        raise WorkshopError(
            "The packages could not be installed; pip's last lines say which and why.",
            "Check the network and the room on the disk, then run the same command again: "
            "it goes on where it stopped.",
        )


def _offline(root: Path) -> list[str]:
    """Where a bundle brought its packages along (see bundle.py), pip looks nowhere else."""
    wheels = root / "wheels"
    return ["--no-index", "--find-links", str(wheels)] if wheels.is_dir() else []


def _pip(command: list[str], root: Path) -> int:
    """Run pip: with its progress bars on a terminal, else line by line, what is news only."""
    if sys.stdout.isatty():
        return subprocess.run(command, cwd=root, env=child_environment(), check=False).returncode
    with subprocess.Popen(
        command,
        cwd=root,
        env=child_environment(),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            if not line.startswith("Requirement already satisfied"):
                say(line.rstrip())
    return process.returncode


def _put_on_path(root: Path, venv: Path) -> None:
    """Let `import harness` work from any folder of the environment's Python, as notebooks need."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run(
        [str(python_of(venv)), "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=child_environment(),
        check=True,
    )
    (Path(found.stdout.strip()) / "workshop.pth").write_text(f"{root}\n", encoding="utf-8")


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, so two terminals do not install over each other."""
    with path.open("a+", encoding="utf-8") as file:
        if not _lock(file, wait=False):
            say("Another workshop.py is installing; waiting for it ...")
            _lock(file, wait=True)
        yield


def _lock(file: IO[str], *, wait: bool) -> bool:
    """Lock an open file; False if someone else has it and `wait` is off."""
    try:
        if os.name == "nt":
            _lock_on_windows(file, wait)
        else:
            import fcntl  # which Windows does not have

            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _lock_on_windows(file: IO[str], wait: bool) -> None:
    """Lock the first byte; the system's own wait ends after ten seconds, so go on asking."""
    import msvcrt  # which only Windows has

    while True:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            return
        except OSError:
            if not wait:
                raise
            time.sleep(1)
