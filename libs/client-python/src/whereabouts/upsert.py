from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal, Mapping, Optional

from .calls import Calls, Steps
from .errors import ApiError
from .types import Asset, Location

Outcome = Literal["created", "updated", "unchanged"]  # what was necessary


class UpsertedAsset(Asset):
    outcome: Outcome


class UpsertedLocation(Location):
    outcome: Outcome


def upsert(calls: Calls, kind: str, external_key: str, fields: Mapping[str, Any]) -> Steps[Any]:
    """
    Creates first, because creating is not counted against the rate of a key, and reads a 409 as "exists". Only what differs
    is sent, because a PATCH without a change counts as well and moves `updated_at`. `kind`: `asset` or `location`.
    """
    path = f"/api/v1/{kind}s"
    try:
        created = yield from calls.data("POST", path, {**fields, "external_key": external_key})
        return {**created, "outcome": "created"}
    except ApiError as error:
        if error.status != 409:
            raise
        owner = error.conflict
        if not owner or owner["resource"] != kind or owner["external_key"] != external_key:
            raise  # something else has a tag
    one = f"{path}/{owner['id']}"
    stored = yield from calls.data("GET", one)
    values = {name: value for name, value in fields.items() if name != "tags"}
    changes = {n: value for n, value in values.items() if n not in stored or not _is_equal(stored[n], value)}
    has = {(tag["tag_type"], tag["value"]) for tag in stored["tags"]}
    missing = [tag for tag in fields.get("tags") or [] if (tag["tag_type"], tag["value"]) not in has]
    if changes:
        stored = yield from calls.data("PATCH", one, changes)
    for tag in missing:
        yield from calls.data("POST", f"{one}/tags", tag)
    if missing:
        stored = yield from calls.data("GET", one)
    return {**stored, "outcome": "updated" if changes or missing else "unchanged"}


def _is_equal(stored: Any, wanted: Any) -> bool:
    """Of JSON values. Instants are equal in any notation. True is not 1, as it is in Python."""
    if isinstance(stored, dict) and isinstance(wanted, Mapping):
        return stored.keys() == wanted.keys() and all(_is_equal(stored[name], wanted[name]) for name in stored)
    if isinstance(stored, list) and isinstance(wanted, (list, tuple)):
        return len(stored) == len(wanted) and all(map(_is_equal, stored, wanted))
    if isinstance(stored, bool) or isinstance(wanted, bool):
        return stored is wanted
    if isinstance(stored, str) and isinstance(wanted, str):
        return (_instant(stored) or stored) == (_instant(wanted) or wanted)
    return bool(stored == wanted)


def _instant(text: str) -> Optional[datetime]:
    """To the millisecond, as the API stores it. None for another text, and for what Python cannot read before 3.11."""
    if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", text):
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment.replace(microsecond=moment.microsecond // 1_000 * 1_000)
