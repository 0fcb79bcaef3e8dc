"""Match records: play and record matches, write and read files of them, verify them.

A record is one match with everything that happened in it, as plain data that JSON can hold (the
format ``xabitha-record``, version 1). Nothing here knows a rule: the engine says what is legal and
what follows, and `fields` what the records of each game hold.
"""

from xabitha_env.files import FileError
from xabitha_env.record.fields import FieldError, check_record
from xabitha_env.record.files import (
    RecordProblem,
    parse_record,
    read_records,
    write_records,
)
from xabitha_env.record.play import record_matches
from xabitha_env.record.verify import Difference, verify_file, verify_record

__all__ = [
    "Difference",
    "FieldError",
    "FileError",
    "RecordProblem",
    "check_record",
    "parse_record",
    "read_records",
    "record_matches",
    "verify_file",
    "verify_record",
    "write_records",
]
