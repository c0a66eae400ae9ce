"""Files as text: what is packed, encoded, too large, or no file."""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile

import pytest

from rankcampaigns import campaigns, text
from rankcampaigns.catalogue import CATALOGUE
from rankstability.errors import DataError


def test_git_blob_is_git_s():
    if shutil.which("git"):
        command = ["git", "hash-object", "--no-filters", str(CATALOGUE)]
        out = subprocess.run(command, capture_output=True, text=True)
        assert text.git_blob(CATALOGUE) == out.stdout.strip()


def test_what_unpacks_to_too_much_is_refused_with_what_is_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "SURELY", 1000)
    file = tmp_path / "mine.csv.gz"
    file.write_bytes(gzip.compress(b"system,segment,score\n" + b"A,1,5\n" * 2_000_000))
    with pytest.raises(DataError, match="too large") as error:
        campaigns.load(file)
    most = f"{text.LARGEST // 2**20} MiB"
    assert error.value.expected == f"at most {most}, and {text.RATIO} times the packed size"
    assert error.value.value.endswith("MiB unpacked")


def archive(file, **members):
    with tarfile.open(file, "w:gz") as packed:
        for name, data in members.items():
            about = tarfile.TarInfo(name.replace("_", "."))
            about.size = len(data)
            packed.addfile(about, io.BytesIO(data))
    return file


def test_an_archive_is_read_where_it_holds_one_table(tmp_path):
    file = archive(tmp_path / "a.tar.gz", table_tsv=b"a\tb\n1\t2\n", readme_md=b"text")
    assert text.content(file) == b"a\tb\n1\t2\n" and text.first_line(file) == "a\tb"
    assert text.content(archive(tmp_path / "b.tar.gz", only_csv=b"a,b\n")) == b"a,b\n"
    two = archive(tmp_path / "c.tar.gz", one_tsv=b"a\n", two_tsv=b"b\n")
    with pytest.raises(DataError, match=r"no archive of one table; found .*one\.tsv.*two\.tsv"):
        text.content(two)


def test_a_digest_is_of_what_is_packed_and_of_an_archive_as_it_is(tmp_path):
    plain, packed, broken = (tmp_path / name for name in ("a.csv", "a.csv.gz", "b.csv.gz"))
    plain.write_bytes(b"system,score\n" * 9)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    broken.write_bytes(packed.read_bytes()[:-9])
    tables = archive(tmp_path / "a.tar.gz", a_tsv=plain.read_bytes())
    assert text.digest(plain) == text.digest(packed)
    for file in (plain, broken, tables):
        assert text.digest(file) == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_byte_order_mark_is_one_at_the_beginning_of_a_file_alone(tmp_path):
    marked = b"\xef\xbb\xbfsystem"
    assert text.decoded(marked, tmp_path) == "system"
    with pytest.raises(DataError, match="wrong encoding") as error:
        text.decoded(b"a\nb\nc\xf6", tmp_path)
    assert (error.value.line, error.value.value) == (3, b"\xf6")


def test_a_nul_byte_is_named_with_its_line(tmp_path):
    file = tmp_path / "mine.csv"
    for line in (2, 3, 4):
        rows = [b"system,segment,score", b"A,1,5", b"A,2,5", b"B,1,5"]
        rows[line - 1] = b"A,\0,5"
        file.write_bytes(b"\n".join(rows))
        with pytest.raises(DataError, match="NUL byte") as error:
            campaigns.load(file)
        assert error.value.line == line


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_neither_a_file_nor_a_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", os.devnull):
        with pytest.raises(DataError, match="neither a file nor a folder"):
            campaigns.find(path)
