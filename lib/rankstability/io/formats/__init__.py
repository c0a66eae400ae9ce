"""The formats of the field: one module each, recognised by their exact headers.

Each module has ``NAME``, ``HEADER`` (the names of its fields), ``matches(path)``, which looks at
the header of a file, and ``read``, which returns `Judgments` by language pair.
"""

from .registry import FORMATS, detect, detect_file, read_as, table

__all__ = ["FORMATS", "detect", "detect_file", "read_as", "table"]
