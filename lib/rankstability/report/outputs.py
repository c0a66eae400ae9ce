"""Writing results: tables as CSV, figures as SVG and PNG, each whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from .. import paths
from ..errors import DataError

STYLE = Path(__file__).parents[1] / "plot" / "rankstability.mplstyle"
SIGNED = ("numpy", "pandas", "scipy", "statsmodels")  # versions that can change a number


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """`frame` as the CSV we publish: no index, ten significant digits, ``\\n``, UTF-8.

    Ten digits keep every number that matters and drop what differs between platforms.
    """
    text = frame.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    return re.sub(r"(?<![^,\n])-0(?=[,\n])", "0", text).encode()


def signature(**settings: Any) -> dict[str, Any]:
    """The settings a result depends on, with the versions of the libraries that computed it."""
    versions = {"python": platform.python_version(), **{name: version(name) for name in SIGNED}}
    return {**settings, "versions": versions}


@dataclass(frozen=True)
class Drawn:
    """A figure as it was written; Jupyter shows it."""

    png: bytes = field(repr=False)

    def _repr_png_(self) -> bytes:
        return self.png


@dataclass(frozen=True)
class Outputs:
    """Where one run of a notebook writes.

    Parameters
    ----------
    directory : Path
        The notebook's output folder; files of a language pair go to ``directory/<pair>/``.
    settings : mapping
        The settings signature, written beside each result as ``<name>.meta.json``: notebook,
        campaign, data checksum, normalisation, test, alpha, cluster rule, seed, versions.
    pairs : tuple of str, optional
        The campaign's language pairs: `pair_tables` reads these (by default every folder).
    source : Path, optional
        Where `pair_tables` reads, if not in `directory`.
    """

    directory: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    pairs: tuple[str, ...] | None = None
    source: Path | None = None

    def folder(self, pair: str = "") -> Path:
        """The folder for `pair`, or for the whole campaign.

        Raises
        ------
        DataError
            For a pair that is not one folder's name: data name the pairs, and nothing in data
            may lead out of the folder.
        """
        if pair and (pair in (".", "..") or Path(pair).name != pair or "\\" in pair):
            raise DataError("not a language pair", value=pair, expected="a name such as cs-en")
        return self.directory / pair if pair else self.directory

    def _meta(self, name: str, pair: str, extra: Mapping[str, Any], kind: str) -> None:
        meta = {"name": name, "kind": kind, "pair": pair or "all", **self.settings, **extra}
        text = json.dumps(meta, indent=1, sort_keys=True, default=str) + "\n"
        write_whole(self.folder(pair) / f"{name}.meta.json", text.encode())

    def table(self, frame: pd.DataFrame, name: str, pair: str = "", **extra: Any) -> pd.DataFrame:
        """Write ``<name>.csv`` and its sidecar; give back `frame`, so that a cell can show it."""
        write_whole(self.folder(pair) / f"{name}.csv", csv_bytes(frame))
        self._meta(name, pair, extra, "table")
        return frame

    def figure(
        self, fig: Figure, name: str, pair: str = "", data: pd.DataFrame | None = None, **extra: Any
    ) -> Drawn:
        """Write ``<name>.svg`` and ``<name>.png``, and `data`, what is drawn, as ``<name>.csv``.

        Gives back the PNG, which a notebook shows without drawing the figure again.
        """
        with plt.style.context(STYLE):
            svg, png = io.BytesIO(), io.BytesIO()
            fig.draw_without_rendering()
            fig.set_layout_engine("none")  # laid out once, not again for each format
            fig.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
            fig.savefig(png, format="png", metadata={"Software": None})
        small = _palette(png)
        write_whole(self.folder(pair) / f"{name}.svg", svg.getvalue())
        write_whole(self.folder(pair) / f"{name}.png", small)
        if data is not None:
            write_whole(self.folder(pair) / f"{name}.csv", csv_bytes(data))
        self._meta(name, pair, extra, "figure")
        plt.close(fig)
        return Drawn(small)

    def claims(self, rows: pd.DataFrame, pair: str = "") -> pd.DataFrame:
        """Write this run's rows of the claims ledger, ``claims.csv`` (see `claims`)."""
        return self.table(rows, "claims", pair)

    def pair_tables(self, name: str) -> pd.DataFrame:
        """All pairs' ``<pair>/<name>.csv`` as one frame with `pair` first, in order of pair."""
        frames = []
        source = self.source or self.directory
        for path in sorted(source.glob(f"*/{name}.csv")):
            if self.pairs is not None and path.parent.name not in self.pairs:
                continue
            frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
            if "pair" not in frame:
                frame.insert(0, "pair", path.parent.name)
            frames.append(frame)
        if not frames:
            raise DataError(
                "no pair has been run yet",
                file=paths.shown(source),
                expected=f"<pair>/{name}.csv",
            )
        return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)


def _palette(png: io.BytesIO) -> bytes:
    """The PNG with a palette of at most 256 colours: a third of the size, the same to the eye."""
    image = (
        Image.open(png)
        .convert("RGB")
        .quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    )
    small = io.BytesIO()
    image.save(small, format="PNG", optimize=True)
    return small.getvalue()


def checksum(*files: Path) -> str:
    """SHA-256 over names and bytes of `files`, the first 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def child_seeds(seed: int, count: int) -> list[np.random.Generator]:
    """`count` independent generators from one seed; the same however many workers share them."""
    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(count)]
