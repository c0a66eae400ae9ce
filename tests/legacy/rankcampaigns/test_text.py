"""Files as text: what is packed, encoded, too large, or no file."""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile

import pytest

from companion.legacy.rankcampaigns import campaigns, text
from companion.legacy.rankcampaigns.catalogue import CATALOGUE
from companion.legacy.rankstability.errors import DataError


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


def test_limits_of_what_unpacks_are_half_a_gibibyte_and_200_times_the_packed_size(tmp_path):
    assert (text.LARGEST, text.RATIO, text.SURELY) == (2**29, 200, 2**24)
    file = tmp_path / "x"
    for size, most in ((1, 2**24), (2**17, 200 * 2**17), (2**29, 2**29), (2**22, 2**29)):
        text.check_unpacked(file, most, size)
        with pytest.raises(DataError, match="too large") as error:
            text.check_unpacked(file, most + 1, size)
        assert error.value.value == f"more than {most // 2**20} MiB unpacked"


def test_errors_without_a_place_get_the_file_and_the_line(tmp_path):
    def raised(**about):
        with pytest.raises(DataError) as error, text.placed(tmp_path / "x.csv", 7):
            raise DataError("wrong", value="v", expected="e", **about)
        found = error.value
        assert (found.problem, found.value, found.expected) == ("wrong", "v", "e")
        return str(found.file).rpartition("/")[2], found.line, found.column

    assert raised() == ("x.csv", 7, None)
    assert raised(line=3, column="c") == ("x.csv", 3, "c")
    assert raised(file="y.csv") == ("y.csv", None, None)


def test_objects_of_json_have_the_line_they_stand_on_and_those_of_a_list_their_place(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert list(text.records(file)) == [(1, {"a": 1}), (3, {"a": 2})]
    file.write_text('[{"a": 1},\n\n{"a": 2}]\n')
    assert list(text.records(file)) == [(1, {"a": 1}), (2, {"a": 2})]
    for whole, line, value in (
        ('{"a": 1}\n[2]\n', 2, "[2]"), ('[{"a": 1}, 3]', 2, "3"),
        (f'{{}}\n"{"x" * 99}"', 2, "x" * 60),
    ):  # fmt: skip
        file.write_text(whole)
        with pytest.raises(DataError, match="not a JSON object") as error:
            list(text.records(file))
        assert (error.value.line, error.value.value) == (line, value)


def test_json_that_is_none_is_refused_on_its_line(tmp_path):
    file = tmp_path / "x.json"
    for whole, line in (
        ('{"a": 1}\n{"a": \n', 2),
        ('[{"a": 1},\n{"a" 2}]', 2),
        ("[1,\n2,\n\n3", 4),
    ):
        file.write_text(whole)
        with pytest.raises(DataError, match="not JSON") as error:
            list(text.records(file))
        assert (error.value.line, error.value.expected) == (line, "a complete JSON value")
    with pytest.raises(DataError, match="JSON nested too deeply") as error:
        text.parsed("[" * 100_000, file, 4)
    assert error.value.line == 4
    for whole, line in (('{"a": 1, "b": 2, "b": 3}', 5), ('{"a": 1,\n"b": 2, "b": 3}', None)):
        with pytest.raises(DataError, match="a key appears twice in an object") as error:
            text.parsed(whole, file, 5)
        assert (error.value.value, error.value.line) == ("b", line)


def test_a_field_that_is_needed_is_named_beside_those_there_are():
    text.need({"a": None, "b": 0}, "a", "b")
    with pytest.raises(DataError, match="no field b") as error:
        text.need({"a": 1, "x" * 200: 2}, "a", "b", "c")
    assert error.value.value == ("a, " + "x" * 200)[:120] and error.value.expected == "a, b, c"


def test_a_value_of_another_kind_is_refused_with_its_field():
    assert text.of_kind([1], list, "a") == [1] and text.of_kind({}, dict, "a") == {}
    for value, kind, expected in ((["x" * 99], dict, "an object"), ({"y" * 99: 1}, list, "a list")):
        with pytest.raises(DataError, match="not of the right kind") as error:
            text.of_kind(value, kind, "a")
        assert (error.value.column, error.value.expected) == ("a", expected)
        assert error.value.value == str(value)[:60]


def test_the_first_line_is_text_without_its_end(tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n")
    assert text.first_line(file) == "a,b" and text.content(file) == b"a,b\r\n1,2\r\n"
    assert text.head(file) == "a,b\r\n1,2\r\n"
    file.write_bytes(b"")
    assert text.first_line(file) == ""
    for empty in (b"", b" \n\t"):
        file.write_bytes(empty)
        with pytest.raises(DataError, match="the file is empty"):
            text.content(file)
    file.write_bytes("ä".encode() * (text.PIECE // 2 - 1) + "aä\n".encode())  # cut within a letter
    assert text.head(file).endswith("äa") and len(text.head(file)) == text.PIECE // 2
    for start in (text.ZIP, text.OLE):
        file.write_bytes(start + b"x")
        with pytest.raises(DataError, match="a spreadsheet or another archive, not text"):
            text.head(file)


def test_an_archive_holds_one_table_that_ends_in_tsv_or_one_file(tmp_path):
    with pytest.raises(DataError, match=r"no archive of one table; found .*a\.csv.*b\.csv"):
        text.content(archive(tmp_path / "a.tar.gz", a_csv=b"a\n", b_csv=b"b\n"))
    with pytest.raises(DataError, match="no archive of one table"):
        text.content(archive(tmp_path / "b.tar.gz"))
    with pytest.raises(DataError, match="no such file"):
        text.content(tmp_path / "gone.csv")


def test_a_number_too_long_for_python_is_refused_on_its_line(tmp_path):
    assert text.PIECE == 2**20
    with pytest.raises(DataError, match="not JSON") as error:
        text.parsed("9" * 9000, tmp_path / "x.jsonl", 3)
    assert error.value.line == 3
