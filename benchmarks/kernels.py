"""What notebooks that are open at once cost a laptop: waiting, memory, processes left behind.

    first answer to something new, in a kernel           goal 1.5 s
    a kernel that has answered, resident                 goal 260 MB
    ten kernels and their helper processes               goal 2,500 MB
    helper processes, some seconds after the last use    goal 0

The kernels are real ones, each with its part's user; each asks something that was never embedded,
and lets a check run. Memory that several share is counted once (PSS; where the system does not
tell, what each has for itself). WAIT_SECONDS is how long a helper may be idle here; 60 s outside.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parent.parent
KERNELS = 10
WAIT_SECONDS = 3
ASK = """
import time
started, cpu = time.perf_counter(), time.process_time()
from harness import agent_turn, start_part
start_part("{part:02}")
answer = agent_turn("How many containers weigh more than {kg} kg?", verbose=False)
print("seconds", time.perf_counter() - started, time.process_time() - cpu)
print(answer)
"""
CHECK = """
from harness.checks import evaluate
print(evaluate("agent_turn", agent_turn).passed)
agent_turn("How many voyages are delayed?", verbose=False)
"""
SHORTER = """
from harness.course.runner import worker
from harness.databases import query_process
worker.IDLE_SECONDS = query_process.IDLE_SECONDS = {wait}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        env = environment(home)
        subprocess.run([sys.executable, "-m", "harness", "prepare"], env=env, cwd=ROOT, check=True)
        managers = [start(env) for _ in range(KERNELS)]
        try:
            measure(managers)
        finally:
            for manager in managers:
                manager.shutdown_kernel(now=True)


def environment(home: str) -> dict[str, str]:
    """As a learner has it: no key, compiled modules kept (some build machines turn that off)."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "WORKSHOP_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "WORKSHOP_HOME": home, "WORKSHOP_MODEL": "standin", "PYTHONPATH": str(ROOT)}


def start(env: dict[str, str]) -> KernelManager:
    manager = KernelManager()
    manager.start_kernel(env=env, cwd=str(ROOT), stderr=subprocess.DEVNULL)
    return manager


def measure(managers: list[KernelManager]) -> None:
    kernels = [psutil.Process(manager.provisioner.pid) for manager in managers]
    clients = [connect(manager) for manager in managers]
    seconds, cpu, resident = [], [], []
    for number, (client, kernel) in enumerate(zip(clients, kernels, strict=True)):
        said = run(client, ASK.format(part=number, kg=1_201 + number))
        took = said.split("seconds ")[1].split()
        seconds.append(float(took[0]))
        cpu.append(float(took[1]))
        resident.append(kernel.memory_info().rss / 1e6)
    report("first answer, new", seconds, "s", 1.5)
    report("of that, the kernel's CPU", cpu, "s", 1.5)
    report("kernel that answered", resident, "MB", 260)
    for client in clients:
        assert "True" in run(client, CHECK)
    everyone = kernels + helpers(kernels)
    total = sum(map(memory, everyone))
    print(
        f"{len(kernels)} kernels, {len(everyone) - len(kernels)} helpers: {total:,.0f} MB (2,500)"
    )
    for client in clients:
        run(client, SHORTER.format(wait=WAIT_SECONDS) + CHECK)
    time.sleep(3 * WAIT_SECONDS)
    total = sum(map(memory, kernels))
    print(f"later: {total:,.0f} MB, {len(helpers(kernels))} helpers (0)")


def connect(manager: KernelManager) -> BlockingKernelClient:
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    return client


def run(client: BlockingKernelClient, code: str) -> str:
    """What the code printed. Raises RuntimeError with what it raised."""
    said: list[str] = []

    def note(message: dict) -> None:
        said.append(message["content"].get("text", ""))

    reply = client.execute_interactive(code, timeout=300, output_hook=note)
    if reply["content"]["status"] != "ok":
        raise RuntimeError(str(reply["content"]))
    return "".join(said)


def helpers(kernels: list[psutil.Process]) -> list[psutil.Process]:
    return [child for kernel in kernels for child in kernel.children(recursive=True)]


def memory(process: psutil.Process) -> float:
    """Megabytes, shared memory counted once."""
    full = process.memory_full_info()
    return getattr(full, "pss", full.uss) / 1e6


def report(name: str, values: list[float], unit: str, goal: float) -> None:
    middle, low, high = statistics.median(values), min(values), max(values)
    print(f"{name:24} {middle:6.2f} {unit} (from {low:.2f} to {high:.2f}; goal {goal})", flush=True)


if __name__ == "__main__":
    main()
