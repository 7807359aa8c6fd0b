"""What kill.py and sweep.py both demand: a journal as its schema says, and no worker left behind."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def schema_validator():
    """None where jsonschema is not installed, or too old."""
    try:
        import jsonschema

        schema = json.loads((ROOT / "results/journal.schema.json").read_text())
        return jsonschema.Draft202012Validator(schema)
    except (ImportError, AttributeError):
        return None


VALIDATOR = schema_validator()


def schema_error(line):
    """What is wrong with a line of a journal, or ""."""
    error = next(VALIDATOR.iter_errors(line), None) if VALIDATOR else None
    return error.message[:200] if error else ""


def workers_of(parent):
    """The workers of a run that are still there, by their process numbers."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"worker", str(parent).encode()]:
            found.append(path.parent.name)
    return found
