from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Dict, Literal, Mapping, Optional, Tuple

from .calls import Calls, Steps
from .errors import ApiError
from .types import Asset, Location

Outcome = Literal["created", "updated", "unchanged"]


class UpsertedAsset(Asset):
    #: What was necessary.
    outcome: Outcome


class UpsertedLocation(Location):
    #: What was necessary.
    outcome: Outcome


def upsert(
    calls: Calls, kind: Literal["asset", "location"], external_key: str, fields: Mapping[str, Any]
) -> Steps[Any]:
    """
    Creates first, because creating is not counted against the rate of a key, and reads a 409 as "exists". Only what differs
    is sent, because a PATCH without a change counts as well and moves `updated_at`.
    """
    path = f"/api/v1/{kind}s"
    try:
        created = yield from calls.call("POST", path, json={**fields, "external_key": external_key})
        return {**created["data"], "outcome": "created"}
    except ApiError as error:
        if error.status != 409:
            raise
        stored = yield from _find(calls, path, external_key, kind, error)
        if stored is None:
            raise  # something else has a tag
    one = f"{path}/{stored['id']}"
    values = {name: value for name, value in fields.items() if name != "tags"}
    changes = {name: value for name, value in values.items() if not is_equal(stored[name], value)}
    missing = [tag for tag in fields.get("tags") or [] if not any(_is_same_tag(tag, has) for has in stored["tags"])]
    if changes:
        stored = (yield from calls.call("PATCH", one, json=changes))["data"]
    for tag in missing:
        yield from calls.call("POST", f"{one}/tags", json=tag)
    if missing:
        stored = (yield from calls.call("GET", one))["data"]
    return {**stored, "outcome": "updated" if changes or missing else "unchanged"}


def _find(calls: Calls, path: str, external_key: str, kind: str, error: ApiError) -> Steps[Optional[Dict[str, Any]]]:
    owner = error.conflict
    if owner and owner["resource"] == kind and owner["external_key"] == external_key:
        found: Dict[str, Any] = (yield from calls.call("GET", f"{path}/{owner['id']}"))["data"]
        return found
    rows = (yield from calls.call("GET", path, {"external_key": external_key}))["data"]
    return rows[0] if rows else None


def _is_same_tag(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return (a["tag_type"], a["value"]) == (b["tag_type"], b["value"])


def is_equal(stored: Any, wanted: Any) -> bool:
    """Of JSON values. Instants are equal in any notation. True is not 1, as it is in Python."""
    if isinstance(stored, dict) and isinstance(wanted, Mapping):
        return stored.keys() == wanted.keys() and all(is_equal(stored[name], wanted[name]) for name in stored)
    if isinstance(stored, list) and isinstance(wanted, (list, tuple)):
        return len(stored) == len(wanted) and all(map(is_equal, stored, wanted))
    if isinstance(stored, bool) or isinstance(wanted, bool):
        return stored is wanted
    if isinstance(stored, str) and isinstance(wanted, str):
        return stored == wanted or (_instant(stored) or stored) == _instant(wanted)
    return bool(stored == wanted)


INSTANT = re.compile(r"([0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2})(?:\.([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})")


def _instant(text: str) -> Optional[Tuple[datetime, str]]:
    """To the millisecond, as the API stores it. By hand, because Python reads all notations only from 3.11 on."""
    match = INSTANT.fullmatch(text)
    if not match:
        return None
    seconds, fraction, offset = match.groups()
    try:
        moment = datetime.fromisoformat(seconds + offset.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment, f"{fraction or ''}000"[:3]
