"""A real JupyterLab of this environment, for the tests that drive one in a browser."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def jupyterlab(work: Path, settings: Mapping[str, str], log: Path) -> Iterator[str]:
    """Serve the folder `work` on loopback with `settings` as environment; gives the address."""
    log.touch()
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={work}"),
            "--IdentityProvider.token=test",
        ],
        env={**os.environ, **settings, "JUPYTER_PREFER_ENV_PATH": "1"},
        stderr=subprocess.STDOUT,
        stdout=log.open("w"),
    )
    try:
        yield address(server, log, 90)
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def address(server: subprocess.Popen, log: Path, seconds: float) -> str:
    """The address that the server writes into its log when it is up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/lab", log.read_text())
        if found:
            return found[0].removesuffix("/lab")
        time.sleep(0.2)
    pytest.fail("JupyterLab did not start:\n" + log.read_text()[-2000:])
