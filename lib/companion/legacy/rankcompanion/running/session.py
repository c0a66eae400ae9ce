"""Open a campaign (`start` in a notebook, else `opened`), write `Outputs`, and `show` them."""

from __future__ import annotations

import io
import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from companion.legacy.paperkit import paths, tables
from companion.legacy.paperkit.parameters import (
    WHOLE,
    check_campaign,
    check_pair,
    metadata,
    notebooks,
    pairs_of,
)
from companion.legacy.paperkit.placing import (
    RECORD,
    claim,
    csv_bytes,
    record,
    results_folder,
    write_whole,
)
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.campaigns import Campaign
from companion.legacy.rankstability.errors import DataError

from ..figures.common import NO_DATE, describe, only_drawable, style

SIGNED = (
    "numpy",
    "pandas",
    "scipy",
    "statsmodels",
)  # versions that can change a number
FORMATS = "RANKSTABILITY_FIGURE_FORMAT"  # figures besides PNG: svg, pdf, or both with a comma
UNSAID = "Conclusions are drawn over all pairs of a campaign; this run is of one alone."
UNSHARED = (
    "pair",
    "data",
    "files",
    "package",
    "versions",
)  # may differ between a campaign's pairs


@dataclass(frozen=True)
class Run:
    """What a notebook works on; `pairs` is empty if all were run before, for the `whole` tables."""

    campaign: Campaign
    pair: str  # as given
    pairs: tuple[str, ...]
    whole: bool
    out: Outputs
    shown: tuple[str, ...]  # of the pairs, those that the notebook displays

    def each(self, of: Iterable[Any] | None = None) -> Iterator[Any]:
        """The pairs, or items `of` them such as ``studies.items()``, for a loop that displays.

        What the loop displays of a pair that is not `shown` is left out of the notebook; what it
        writes is written.
        """
        from IPython.utils.capture import capture_output

        for item in self.pairs if of is None else of:
            pair = item if isinstance(item, str) else item[0]
            with nullcontext() if pair in self.shown else capture_output():
                yield item


def start(
    notebook: str,
    campaign: str,
    pair: str = "",
    output_dir: str = "",
    **settings: Any,
) -> Run:
    """Open a campaign in a notebook, such as ``01_replication``: the first call of each notebook.

    Like `opened`; also shows how a user's files were read and which were not, and sets up the
    display of tables (`companion.legacy.paperkit.tables`). Of a notebook whose metadata say ``one_pair`` the
    first pair is shown where no `output_dir` is given, as in JupyterLab, and the others are
    written; a page of the report is made of all.
    """
    tables.install()
    about = {}
    if notebook in notebooks():
        check_campaign(notebook, campaigns.find(campaign))
        about = metadata(notebook)
    run = opened(notebook, campaign, pair, output_dir, **settings)
    if len(run.campaign.reading):
        show(
            {
                f"How the files of {run.campaign.name} were read": run.campaign.reading
            }
        )
    left = pd.DataFrame(run.campaign.unread, columns=["file", "reason"])
    show({f"Files of {run.campaign.name} that were not read": left})
    if about.get("one_pair") and not output_dir and len(run.pairs) > 1:
        run = replace(run, shown=run.pairs[:1])
        others = ", ".join(run.pairs[1:])
        where = paths.shown(run.out.directory)
        show(
            {
                f"Shown is {run.pairs[0]}": f"Figures and tables of {others} are in {where}."
            }
        )
    return run


def opened(
    notebook: str,
    campaign: str | Campaign,
    pair: str = "",
    output_dir: str = "",
    **settings: Any,
) -> Run:
    """A campaign, the pairs to be computed, and where their results go.

    Raises DataError for a campaign that is not here, or, if only the campaign's tables are asked
    for, for pairs that have not been run, or not with these settings; InputError for a pair that
    the campaign does not have.

    Parameters
    ----------
    campaign : str or Campaign
        A catalogue name, a path to a file or a folder of files in a known format, or the campaign
        that `campaigns.find` returned for either.
    pair : str
        A language pair; empty for all pairs of the campaign; ``whole`` for the campaign's tables
        only, from the results of pairs that were run before.
    output_dir : str
        Where results go; if empty, ``figures/<campaign>/<notebook>``, or for a user's own campaign
        ``results/<campaign>/<notebook>``.
    **settings
        What else the results depend on, for the signature in ``run.json``.
    """
    found = (
        campaign
        if isinstance(campaign, Campaign)
        else campaigns.find(campaign)
    )
    check_pair(found, pair)
    folder = (
        Path(output_dir) if output_dir else results_folder(found) / notebook
    )
    if not output_dir:
        claim(found)
    source = "synthetic" if found.demo else "own"
    if not (found.demo or found.own):
        source = "rebuilt from z" if found.rebuilt else "official"
    if rule := found.entry.get(
        "zero_variance"
    ):  # the campaign's rule for workers without spread
        settings["zero_variance"] = rule
    signed = signature(
        notebook=notebook,
        campaign=found.name,
        data=campaigns.fingerprint(found, "" if pair == WHOLE else pair),
        provenance=source,
        **settings,
    )
    out = Outputs(folder, signed, pairs=found.pairs)
    if pair == WHOLE:
        check_pairs(folder, found.pairs, signed)
    pairs = pairs_of(found, pair)
    return Run(found, pair, pairs, pair in ("", WHOLE), out, shown=pairs)


def show(parts: Mapping[str, Any], folded: bool = False) -> None:
    """Display tables, figures and sentences with their titles in a notebook; skip empty parts.

    The page of the report shows parts that are `folded` as their title only, until it is opened.
    """
    from IPython.display import Markdown, display

    for title, part in parts.items():
        if part is None or (
            isinstance(part, str | pd.DataFrame) and not len(part)
        ):
            continue
        label = {"rankstability": {"folded": "title"}} if folded else None
        about = {"rankstability": {"folded": title}} if folded else None
        display(Markdown(f"**{title}**"), metadata=label)
        display(
            Markdown(part) if isinstance(part, str) else part, metadata=about
        )


def some(number: int, noun: str) -> str:
    """A number with its noun: ``1 pair``, ``2 pairs``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def span(values: Iterable[float], form: str) -> str:
    """The least and the greatest number: ``0.58 to 1.00``; ``0.76`` if they read alike."""
    known = pd.Series(list(values))
    least = format(known.min(), form)
    most = format(known.max(), form)
    return least if least == most else f"{least} to {most}"


def conclude(*said: str) -> Any:
    """What a run's numbers say: three sentences; none if it has nothing over all pairs."""
    from IPython.display import Markdown

    if said and (len(said) != 3 or not all(one.endswith(".") for one in said)):
        raise ValueError(f"not three sentences: {said}")
    return Markdown(" ".join(said) or UNSAID)


def signature(**settings: Any) -> dict[str, Any]:
    """The settings that results depend on, with the versions of the software."""
    versions = {
        "python": platform.python_version(),
        **{name: version(name) for name in SIGNED},
    }
    return {
        **settings,
        "package": version("rankstability"),
        "versions": versions,
    }


def figure_formats(asked: str | None = None) -> tuple[str, ...]:
    """The formats of figures besides PNG: svg, pdf, both or none.

    `asked` lists them, separated by commas; by default ``RANKSTABILITY_FIGURE_FORMAT`` does. Raises
    DataError for any other format.
    """
    text = os.environ.get(FORMATS, "") if asked is None else asked
    names = dict.fromkeys(name.strip().lower() for name in text.split(","))
    if unknown := [f for f in names if f not in ("", "png", "svg", "pdf")]:
        raise DataError(
            "unknown figure format",
            value=unknown[0],
            expected="png, svg or pdf",
        )
    return tuple(f for f in names if f in ("svg", "pdf"))


@dataclass(frozen=True)
class Drawn:
    """A figure as it was written, which Jupyter can display.

    `seen` is what is to be seen in these data, for the caption.
    """

    png: bytes = field(repr=False)
    alt: str
    name: str
    seen: str = ""

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        about = {"alt": self.alt, "name": self.name}
        return self.png, {**about, "seen": self.seen} if self.seen else about


@dataclass(frozen=True)
class Outputs:
    """Where one run of a notebook writes its results.

    Files of a language pair go to ``directory/<pair>/``. Each folder gets a ``run.json`` with the
    `settings` (see `signature`) and, under ``files``, what each file is. `pair_tables` reads the
    folders of `pairs` (None: of every pair); `formats` are those of figures besides PNG.
    """

    directory: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    pairs: tuple[str, ...] | None = None
    formats: tuple[str, ...] = field(default_factory=figure_formats)
    _written: dict[str, dict[str, str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def document(
        self, content: bytes, file: str, pair: str, what: str
    ) -> None:
        """Write one file and list it in the ``run.json`` of its folder.

        Raises DataError if `file` or `pair` is not a plain name, and might lead out of the folder.
        """
        if not _plain(file):
            raise DataError("not a name for a file of results", value=file)
        if pair and not _plain(pair):
            raise DataError(
                "not a language pair",
                value=pair,
                expected="a name such as cs-en",
            )
        folder = self.directory / pair
        write_whole(folder / file, content)
        files = self._written.setdefault(pair, {})
        files[file] = what
        made = {**self.settings, "pair": pair or "all", "files": files}
        text = json.dumps(made, indent=1, sort_keys=True, default=str) + "\n"
        write_whole(folder / RECORD, text.encode())

    def table(
        self,
        frame: pd.DataFrame,
        name: str,
        pair: str = "",
        what: str = "table",
    ) -> pd.DataFrame:
        """Write ``<name>.csv``; returns `frame`, so that a cell can show it."""
        self.document(csv_bytes(frame), f"{name}.csv", pair, what)
        return frame

    def figure(
        self,
        fig: Figure,
        name: str,
        pair: str = "",
        data: pd.DataFrame | None = None,
        seen: str = "",
    ) -> Drawn:
        """Write a figure as ``<name>.png`` (and in `formats`), and its `data` as ``<name>.csv``.

        What is `seen` in these data ends the figure's caption on the page. Returns the PNG, so that
        a cell can show it, with the words of the figure as alternative text
        (`figures.common.describe`).
        """
        drawn = {}
        alt = describe(fig)
        with style():
            only_drawable(fig)
            fig.draw_without_rendering()
            fig.set_layout_engine(
                "none"
            )  # laid out once, not again for each format
            for form in ("png", *self.formats):
                target = io.BytesIO()
                fig.savefig(target, format=form, metadata=NO_DATE[form])
                drawn[form] = target.getvalue()
        plt.close(fig)
        drawn["png"] = _palette(drawn["png"])
        for form, content in drawn.items():
            self.document(content, f"{name}.{form}", pair, "figure")
        if data is not None:
            self.table(data, name, pair, f"the numbers in {name}.png")
        place = f"{pair}/{name}.png" if pair else f"{name}.png"
        return Drawn(drawn["png"], alt, place, seen)

    def claims(self, rows: pd.DataFrame, pair: str = "") -> pd.DataFrame:
        """Write this run's rows of the claims ledger as ``claims.csv`` (see `companion.legacy.paperkit.claims`)."""
        return self.table(
            rows, "claims", pair, what="rows of the claims ledger"
        )

    def pair_tables(self, name: str) -> pd.DataFrame:
        """The ``<pair>/<name>.csv`` of all pairs as one frame with a column pair, in their order.

        Raises DataError if there is none.
        """
        frames = []
        for path in sorted(self.directory.glob(f"*/{name}.csv")):
            if self.pairs is not None and path.parent.name not in self.pairs:
                continue
            frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
            if "pair" not in frame:
                frame.insert(0, "pair", path.parent.name)
            frames.append(frame)
        if not frames:
            expected = f"<pair>/{name}.csv"
            raise DataError(
                "no pair has been run yet",
                file=self.directory,
                expected=expected,
            )
        return pd.concat(
            [f for f in frames if len(f)] or frames[:1], ignore_index=True
        )


def _plain(name: str) -> bool:
    """Whether a name is that of something directly in a folder, and leads nowhere else."""
    return (
        bool(name)
        and name not in (".", "..")
        and not set(name) & {"/", "\\", "\0"}
    )


def check_pairs(
    folder: Path, pairs: Sequence[str], settings: Mapping[str, Any]
) -> None:
    """Raises DataError for the first pair not run in `folder`, or not run with these settings."""
    own = json.loads(json.dumps(dict(settings), default=str))
    for pair in pairs:
        made = record(folder / pair)
        where = folder / pair
        if not made:
            raise DataError(
                "this pair has not been run",
                file=where,
                expected="its results",
            )
        for key in sorted((made.keys() | own.keys()) - set(UNSHARED)):
            if made.get(key) != own.get(key):
                problem = f"{pair} was run with other settings"
                value = made.get(key)
                expected = repr(own.get(key))
                raise DataError(
                    problem,
                    file=where,
                    column=key,
                    value=value,
                    expected=expected,
                )


def _palette(png: bytes) -> bytes:
    """The PNG with a palette of at most 256 colours, a third of its size."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    small = io.BytesIO()
    method = Image.Quantize.MEDIANCUT
    dither = Image.Dither.NONE
    image.quantize(256, method=method, dither=dither).save(
        small, format="PNG", optimize=True
    )
    return small.getvalue()
