"""What the test double refuses, in the words of the API."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

Json = Dict[str, Any]
#: None, a problem, or several.
Check = Callable[[str, Any], Any]


class Refusal(Exception):
    """An error of the API, before it has its envelope."""

    def __init__(self, status: int, type: str, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.body: Json = {"type": type, "title": title, "status": status, "detail": detail, **more}


class Rule(NamedTuple):
    check: Check
    required: bool = False


def _problem(field: str, code: str, text: str, params: Optional[Json] = None) -> Json:
    message = f"{field}{text if text.startswith(':') else ' ' + text}"
    return {"field": field, "code": code, "message": message, **({"params": params} if params else {})}


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = ((bool, "boolean"), ((int, float), "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in names if isinstance(value, kind)), "object")


def _typed(expected: str, more: Check = lambda field, value: None) -> Check:
    def check(field: str, value: Any) -> Optional[Json]:
        received = _type_of(value)
        if received == expected:
            return more(field, value)
        params = {"expected_type": expected, "received_type": received}
        return _problem(field, "invalid_value", f"must be {expected}; received {received}", params)

    return check


def _nullable(check: Check) -> Check:
    return lambda field, value: None if value is None else check(field, value)


def _text(most: int, pattern: str = "", says: str = "") -> Check:
    def check(field: str, value: str) -> Optional[Json]:
        if not value:
            return _problem(field, "too_short", "must be at least 1 character", {"min_length": 1})
        if len(value) > most:
            return _problem(field, "too_long", f"must be at most {most} characters", {"max_length": most})
        return _problem(field, "invalid_value", says) if pattern and not re.fullmatch(pattern, value) else None

    return _typed("string", check)


def _one_of(*allowed: str) -> Check:
    text, params = f"must be one of: {', '.join(allowed)}", {"allowed_values": list(allowed)}
    return lambda field, value: None if value in allowed else _problem(field, "invalid_value", text, params)


def _some(field: str, value: List[Any]) -> Optional[Json]:
    return None if value else _problem(field, "too_short", "must contain at least 1 item", {"min_length": 1})


_KEY = _text(255, "[A-Za-z0-9-]+", "must contain only letters, digits and hyphens")
_FIRST = {"name": Rule(_text(255), True), "external_key": Rule(_KEY, True), "description": Rule(_nullable(_text(1024)))}
_LAST = {
    "is_active": Rule(_typed("boolean")), "valid_from": Rule(_typed("string")),
    "valid_to": Rule(_nullable(_typed("string"))), "tags": Rule(_nullable(_typed("array", lambda field, value: _of_tags(field, value)))),
}  # fmt: skip
#: What the bodies of each kind may have, in the order in which the API names problems.
FIELDS: Dict[str, Dict[str, Rule]] = {
    "asset": {
        **_FIRST, "type": Rule(_one_of("asset", "person", "inventory")), "metadata": Rule(_typed("object")),
        "home_location_id": Rule(_nullable(_typed("number"))), "home_location_external_key": Rule(_nullable(_KEY)), **_LAST,
    },
    "location": {
        **_FIRST, "parent_id": Rule(_nullable(_typed("number"))), "parent_external_key": Rule(_nullable(_KEY)), **_LAST,
    },
}  # fmt: skip
TAG = {"tag_type": Rule(_one_of("rfid", "ble", "barcode"), True), "value": Rule(_text(255), True)}
SAVE = {"asset_identifiers": Rule(_typed("array", _some), True), "location_identifier": Rule(_KEY, True)}
BATCH = {"items": Rule(_typed("array"), True)}


def validate(body: Any, rules: Mapping[str, Rule], is_change: bool = False) -> Json:
    """Raises a Refusal that names all problems. `is_change`: a field that is absent stays as it is."""
    problems = _problems_of(body, rules, is_change)
    if problems:
        raise _all_of(problems)
    return dict(body)


def _problems_of(body: Any, rules: Mapping[str, Rule], is_change: bool, prefix: str = "") -> List[Json]:
    if not isinstance(body, dict):
        return [_problem(prefix or "body", "invalid_value", "must be an object")]
    unknown = [f"{prefix}{field}" for field in body if field not in rules]
    problems = [{"field": field, "code": "unknown_field", "message": f'unknown field "{field}"'} for field in unknown]
    for field, (check, required) in rules.items():
        absent = _problem(f"{prefix}{field}", "required", "is required") if required and not is_change else None
        found = check(f"{prefix}{field}", body[field]) if field in body else absent
        problems += found if isinstance(found, list) else [found] if found else []
    return problems


def _of_tags(field: str, tags: List[Any]) -> List[Json]:
    return [found for i, tag in enumerate(tags) for found in _problems_of(tag, TAG, False, f"{field}[{i}].")]


def _all_of(fields: List[Json]) -> Refusal:
    others = len(fields) - 1
    more = f" (and {others} more validation error{'' if others == 1 else 's'})" if others else ""
    return Refusal(400, "validation_error", "Validation failed", fields[0]["message"] + more, fields=fields)


def invalid(field: str, code: str, text: str, params: Optional[Json] = None) -> Refusal:
    """400: one problem. `text` goes on after the name of the field."""
    return _all_of([_problem(field, code, text, params)])


def not_found(what: str) -> Refusal:
    return Refusal(404, "not_found", "Not found", f"{what} not found")


def conflict(detail: str, owner: Optional[Json] = None) -> Refusal:
    return Refusal(409, "conflict", "Conflict", detail, **({"conflict": owner} if owner else {}))


def unknown_here(what: str) -> Refusal:
    """400, so that a program notices that its test needs the API: a 404 could be the answer that it expects."""
    return Refusal(400, "bad_request", "Bad request", f"The test double has no {what}")
