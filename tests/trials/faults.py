"""Runs that are killed, have no disk left, may not write, or are two at once: results stay whole.

``make faults``. Each trial runs notebook 01 on a demo campaign twice with different settings, in a
folder that holds the results of the first; afterwards the folder must hold those of the first or
those of the second, byte for byte, and nothing else. Mounts need root; without, they are skipped,
and the last line says so.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from companion.legacy.paperkit import placing

RUN = [sys.executable, "-m", "companion.legacy.rankstability.run", "01", "campaign=demo-srdc", "pair=de-en"]
ONE, TWO = ["alpha=0.05"], ["alpha=0.2"]


def start(folder: Path, settings: list[str]) -> subprocess.Popen[bytes]:
    command = [*RUN, *settings, f"output_dir={folder}", "--quiet"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, start_new_session=True, **pipes)  # type: ignore[call-overload]


def run(folder: Path, settings: list[str]) -> tuple[int, str]:
    process = start(folder, settings)
    return (lambda said: (process.returncode, said.decode()))(process.communicate()[1])


def state(folder: Path) -> dict[str, bytes]:
    """The results in a folder; the executed notebooks hold times."""
    files = (f for f in folder.rglob("*") if f.is_file() and f.suffix != ".ipynb")
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def clean(folder: Path) -> dict[str, bytes]:
    """`state` once what was left half-way is finished, as the next run or the report does."""
    placing.recover(folder)
    return state(folder)


def kills(before: Path, wanted: list[dict[str, bytes]], number: int, seconds: float) -> str:
    chance, seen = random.Random(7), []
    for _ in range(number):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "out"
            shutil.copytree(before, folder)
            process = start(folder, TWO)
            try:
                process.wait(chance.uniform(0, seconds * 1.05))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            found = clean(folder)
            assert found in wanted, f"a mixture after a kill: {sorted(found)}"
            seen.append(wanted.index(found))
    return f"{number} kills: {seen.count(0)} old, {seen.count(1)} new, 0 mixed"


def mounted(before: Path, options: str, fill: bool) -> tuple[int, str, bool]:
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], check=True)
        try:
            folder = Path(place) / "out"
            shutil.copytree(before, folder)
            old = state(folder)
            if fill:
                free = shutil.disk_usage(place).free
                (Path(place) / "full").write_bytes(b"\0" * (free - 20_000))
            else:
                subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)
            code, said = run(folder, TWO)
            return code, said, state(folder) == old
        finally:
            subprocess.run(["umount", "-l", place], check=True)


def two_at_once(before: Path, wanted: list[dict[str, bytes]]) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "out"
        shutil.copytree(before, folder)
        running = [start(folder, settings) for settings in (ONE, TWO)]
        said = [process.communicate()[1].decode() for process in running]
        assert [p.returncode for p in running] == [0, 0], said
        found = state(folder)
        assert found in wanted, "a mixture of two runs"
        return f"two at once: both end well, those of run {wanted.index(found) + 1} stand whole"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    args = parser.parse_args()
    skipped = []
    with tempfile.TemporaryDirectory() as scratch:
        places = [Path(scratch) / name for name in "ab"]
        wanted = []
        for place, settings in zip(places, (ONE, TWO), strict=True):
            began = time.monotonic()
            assert run(place, settings)[0] == 0
            seconds = time.monotonic() - began
            wanted.append(state(place))
        assert wanted[0] != wanted[1]
        print(kills(places[0], wanted, args.kills, seconds))
        print(two_at_once(places[0], wanted))
        if os.geteuid() == 0 and shutil.which("mount"):
            try:
                for name, options, fill in (("full disk", "rw", True), ("read-only", "ro", False)):
                    code, said, same = mounted(places[0], options, fill)
                    assert code == (1 if fill else 2) and same, (code, said)
                    assert "Traceback" not in said, said
                    print(f"{name}: refused, earlier results kept; {said.strip().splitlines()[0]}")
            except subprocess.CalledProcessError as error:
                skipped.append(f"full disk, read-only ({error})")
        else:
            skipped.append("full disk, read-only (mounting needs root)")
    for what in skipped:
        print(f"NOT tried: {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
