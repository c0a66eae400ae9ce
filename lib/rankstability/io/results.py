"""Results of notebooks: saved as one CSV or PNG each, and collected over language pairs."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from ..arguments import check_arguments
from ..errors import DataError, escape_invisible, suggest
from .paths import repository_root
from .write import write_folder

FORMULA = re.compile(r"[=+\-@\t\r]")  # begins a formula in a spreadsheet
FILE_NAME = re.compile(r"\w[\w .-]*")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
RESOLUTION = 100  # dots per inch
COLOURS = 256  # of a palette
CAMPAIGN_FOLDER = "all"  # holds the results of campaign notebooks, beside the folders of pairs


@check_arguments
def save(output: str | Path, **results: Any) -> None:
    """Save tables as CSV and figures as PNG, all of them or none.

    Parameters
    ----------
    output : str or Path
        A folder, which is created if it does not exist. If the name is empty, nothing is saved.
    **results : DataFrame, Series or Figure
        Each result is saved under its name: ``ranking=table`` is saved as ``ranking.csv``. A figure
        is an object with a method ``savefig``, or with an attribute ``figure`` that has it, such as
        the Axes of seaborn.

    Raises
    ------
    DataError
        ``not_a_result`` for an object that is neither a table nor a figure; ``bad_result_name``;
        ``wrong_argument`` if `output` is not a path; ``unwritable_folder``.

    Notes
    -----
    Text that a spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-`` or ``@``
    and is not a number) is saved with a leading apostrophe, which `collect` removes.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.save("", ranking=rs.rank_systems(rs.load("demo-srdc", "de-en")).table)
    """
    if not str(output):
        return
    folder = Path(output)
    contents = {
        _file_name(name, result): _content(name, result) for name, result in results.items()
    }
    write_folder(folder, contents)


def _file_name(name: str, result: Any) -> str:
    if not FILE_NAME.fullmatch(name):
        raise DataError("bad_result_name", value=name)
    return f"{name}.csv" if isinstance(result, pd.DataFrame | pd.Series) else f"{name}.png"


def _content(name: str, result: Any) -> bytes:
    if isinstance(result, pd.Series):
        return table_bytes(result.to_frame())
    if isinstance(result, pd.DataFrame):
        return table_bytes(result)
    figure = result if hasattr(result, "savefig") else getattr(result, "figure", None)
    if not hasattr(figure, "savefig"):
        raise DataError("not_a_result", column=name, value=type(result).__name__)
    return _figure_bytes(figure)


def table_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8; an index with names, or of text, becomes columns."""
    frame = table.copy()
    if isinstance(frame.columns, pd.MultiIndex):
        frame.columns = pd.Index(["_".join(map(str, filter(None, name))) for name in frame.columns])
    named = any(name is not None for name in frame.index.names)
    if named or not pd.api.types.is_integer_dtype(frame.index.dtype):
        frame = frame.reset_index()
    text: str = escape_formulas(frame).to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8", errors="backslashreplace")


def escape_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before text that a spreadsheet would take for a formula."""
    names = {name: _escape(str(name)) for name in frame.columns}
    safe = frame.rename(columns={old: new for old, new in names.items() if str(old) != new})
    for name in safe.columns:
        cells = safe[name]
        if not isinstance(cells, pd.Series) or pd.api.types.is_numeric_dtype(cells.dtype):
            continue
        escaped = cells.astype(object).map(
            lambda cell: _escape(cell) if isinstance(cell, str) else cell
        )
        if not escaped.equals(cells.astype(object)):
            safe[name] = escaped
    return safe


def _escape(text: str) -> str:
    text = escape_invisible(text)
    risky = FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None
    return f"'{text}" if risky else text


def _figure_bytes(figure: Any) -> bytes:
    """Return a figure as a small PNG whose bytes depend on the picture alone."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=RESOLUTION, bbox_inches="tight")
    with Image.open(drawn) as picture:
        flat = Image.new("RGB", picture.size, "white")
        flat.paste(picture, mask=picture.getchannel("A") if "A" in picture.getbands() else None)
    small = io.BytesIO()
    flat.quantize(COLOURS, dither=Image.Dither.NONE).save(small, format="PNG", optimize=True)
    return small.getvalue()


@check_arguments
def collect(campaign: str, notebook: str, table: str) -> pd.DataFrame:
    """Collect a table that a notebook saved for each language pair in a campaign.

    Parameters
    ----------
    campaign, notebook : str
        As in ``figures/<campaign>/<notebook>``; the notebook may be given by its number.
    table : str
        The name under which the notebook saved the table.

    Returns
    -------
    DataFrame
        The tables of all language pairs, one after another, with the pair in the first column.

    Raises
    ------
    DataError
        If no pair has such a table (run ``make figures`` first).
    """
    names = {"campaign": campaign, "notebook": notebook, "table": table}
    for argument, name in names.items():
        if not FILE_NAME.fullmatch(name):
            raise DataError("nothing_to_collect", column=argument, value=name)
    root = repository_root() / "figures" / campaign
    folders = sorted(path for path in root.glob("*") if path.is_dir())
    exact = [path for path in folders if path.name in (notebook, *_numbered(notebook, folders))]
    files = sorted(file for path in exact for file in path.glob(f"*/{table}.csv"))
    files = [
        file
        for file in files
        if file.parent.name != CAMPAIGN_FOLDER and not file.parent.name.startswith(".")
    ]  # a name that begins with a point is a folder that is not complete
    if not files:
        there = sorted({file.stem for path in exact for file in path.glob("*/*.csv")})
        raise DataError(
            "nothing_to_collect",
            value=f"figures/{campaign}/{notebook}/*/{table}.csv",
            expected=suggest(table, there) or None,
            remedy=None if there else f"make figures CAMPAIGN={campaign}",
        )
    parts = []
    for file in files:
        part = _read_table(file)
        part = part.drop(columns="pair", errors="ignore")
        part.insert(0, "pair", file.parent.name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _numbered(notebook: str, folders: list[Path]) -> list[str]:
    """Return the folder of a notebook that is given by its number alone, such as ``02``."""
    return [path.name for path in folders if path.name.partition("_")[0] == notebook]


def _read_table(file: Path) -> pd.DataFrame:
    frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
    names = {name: _unescape(name) for name in frame.columns}
    frame = frame.rename(columns=names)
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            frame[name] = frame[name].map(
                lambda cell: _unescape(cell) if isinstance(cell, str) else cell
            )
    return frame


def _unescape(text: str) -> str:
    return text[1:] if text[:1] == "'" and _escape(text[1:]) == text else text
