"""A test double of the API, for the tests of a program."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Generator, List, Sequence, Set, Tuple

import httpx

from .testing_rules import BATCH, Json, Refusal, conflict, invalid, unknown_here, validate
from .testing_store import Store

LOOK_AGAIN = 0.01
_KINDS = {"assets": "asset", "locations": "location"}
_SORTS = ("external_key", "name", "created_at", "updated_at")


def api_double() -> Dict[str, Any]:
    """
    An API in memory, for the tests of a program that uses the client: `Whereabouts(**api_double())`, or AsyncWhereabouts. Each one
    is a new, empty organization. It has assets, locations and their tags, also in batches, inventory saves, the report, current
    locations and events, with the errors of the API. It needs no network and no API key.

    It does not have scans, history, movements, webhooks, renames, filters other than by key and id, scopes, rate limits or
    idempotency keys: what it does not have is status 400 and says so. It stores validity and does not apply it, compares tags as
    they are, and answers at once what the API answers a moment later.
    """
    key = {"client_id": "double", "client_secret": "double", "user_agent": "test-double/1"}
    return {"base_url": "https://double.example", **key, "transport": _Double()}


class _Query:
    """The parameters of a request. What nobody reads is refused."""

    def __init__(self, given: httpx.QueryParams) -> None:
        self._given = given
        self._known: Set[str] = set()

    def all(self, name: str) -> List[str]:
        self._known.add(name)
        return self._given.get_list(name)

    def one(self, name: str, otherwise: str) -> str:
        return (self.all(name) or [otherwise])[0]

    def number(self, name: str, otherwise: int, least: int, most: int) -> int:
        text = self.one(name, str(otherwise))
        if not re.fullmatch("-?[0-9]+", text):
            raise invalid(name, "invalid_value", "must be an integer")
        if int(text) < least:
            raise invalid(name, "too_small", f"must be ≥ {least}", {"min": least})
        if int(text) > most:
            raise invalid(name, "too_large", f"must be ≤ {most}", {"max": most})
        return int(text)

    def one_of(self, name: str, allowed: Sequence[str], otherwise: str) -> str:
        text = self.one(name, otherwise)
        _check(name, allowed, [text])
        return text

    def refuse_others(self) -> None:
        other = next((name for name in self._given if name not in self._known), None)
        if other is not None:
            raise unknown_here(f'parameter "{other}" of this operation')


def _check(name: str, allowed: Sequence[str], given: Sequence[str]) -> None:
    if not set(given) <= set(allowed):
        raise invalid(name, "invalid_value", f"must be one of: {', '.join(allowed)}", {"allowed_values": list(allowed)})


def _page(rows: List[Json], query: _Query, sorts: Sequence[str], usual: str) -> Json:
    offset, limit = query.number("offset", 0, 0, 2**53), query.number("limit", 50, 1, 200)
    parts = (query.one("sort", usual) or usual).split(",")
    _check("sort", sorts, [part[part.startswith("-") :] for part in parts])
    query.refuse_others()
    for part in reversed(parts):  # the first one counts most
        rows = sorted(rows, key=lambda row: str(row[part.lstrip("-")]), reverse=part.startswith("-"))
    return {"data": rows[offset : offset + limit], "limit": limit, "offset": offset, "total_count": len(rows)}


class _Double(httpx.BaseTransport, httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self._store = Store()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        steps = self._steps(request, request.read())
        try:
            while True:
                time.sleep(next(steps))
        except StopIteration as end:
            return self._response(*end.value)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        steps = self._steps(request, await request.aread())
        try:
            while True:
                await asyncio.sleep(next(steps))
        except StopIteration as end:
            return self._response(*end.value)

    def _response(self, status: int, body: Any, request_id: str) -> httpx.Response:
        headers = {"x-request-id": request_id}
        return httpx.Response(status, headers=headers, **({} if body is None else {"json": body}))

    def _steps(self, request: httpx.Request, content: bytes) -> Generator[float, None, Tuple[int, Any, str]]:
        """Yields pauses. Returns status, body and request id."""
        request_id, query = str(uuid.uuid4()), _Query(request.url.params)
        try:
            until = time.monotonic() + (query.number("wait", 0, 0, 30) if request.url.path.endswith("/events") else 0)
            while True:
                status, body = self._answer(request, query, json.loads(content or b"{}"))
                if status != 0:
                    return status, body, request_id
                if time.monotonic() >= until:
                    return 200, body, request_id
                yield LOOK_AGAIN
        except Refusal as refusal:
            error = {**refusal.body, "instance": request.url.path, "request_id": request_id}
            return refusal.status, {"error": error}, request_id

    def _answer(self, request: httpx.Request, query: _Query, body: Any) -> Tuple[int, Any]:
        """Status 0: nothing has happened yet."""
        path = request.url.path[len("/api/v1") :]
        name = f"{request.method} {re.sub('/[0-9]+', '/#', path)}"
        ids = [int(id) for id in re.findall("/([0-9]+)", path)]
        store = self._store
        if name == "POST /oauth/token":
            return 200, {"access_token": "double", "token_type": "Bearer", "expires_in": 900, "refresh_token": "double"}
        if name == "GET /events":
            return self._events(query)
        if name == "GET /reports/asset-locations":
            names = ("asset_external_key", "location_external_key")
            asked = {name: query.all(name) for name in names}
            rows = [row for row in self._report() if all(not asked[name] or row[name] in asked[name] for name in names)]
            return 200, _page(rows, query, ("asset_last_seen", "asset_external_key", "location_external_key"), "-asset_last_seen")
        if name == "GET /locations/current":
            columns = {"asset": "asset_external_key", "location": "location_external_key", "last_seen": "asset_last_seen"}
            rows = [{own: row[column] for own, column in columns.items()} for row in self._report()]
            return 200, _page(rows, query, ("last_seen", "asset", "location"), "-last_seen")
        if name == "POST /inventory/save":
            query.refuse_others()
            return 201, {"data": store.save(body)}
        found = re.fullmatch("([A-Z]+) /(assets|locations)(/.*)?", name)
        operation = _OPERATIONS.get(f"{found[1]} {found[3] or ''}".strip()) if found else None
        if found is None or operation is None:
            raise unknown_here(f"{request.method} {request.url.path}")
        return operation(store, _KINDS[found[2]], ids, query, body)

    def _report(self) -> List[Json]:
        return [
            {
                "asset_id": place["asset"], "asset_external_key": self._store.one("asset", place["asset"])["external_key"],
                "location_id": place["location"]["id"], "location_external_key": place["location"]["external_key"],
                "asset_deleted_at": None, "asset_last_seen": place["seen"], "dwell_started_at": place["since"],
                "dwell_seconds": int((datetime.now(timezone.utc) - _instant(place["since"])).total_seconds()),
            }
            for place in self._store.places
        ]  # fmt: skip

    def _events(self, query: _Query) -> Tuple[int, Any]:
        types, limit, after = query.all("type"), query.number("limit", 100, 1, 500), query.one("after", "0")
        query.refuse_others()
        events = self._store.events
        if after != "now" and not after.isdigit():
            raise invalid("after", "invalid_value", "must be a cursor")
        start = len(events) if after == "now" else int(after)
        found = [(i + 1, one) for i, one in enumerate(events) if i >= start and (not types or one["type"] in types)]
        has_more = len(found) > limit
        cursor = str(found[limit - 1][0] if has_more else len(events))
        return 200 if found else 0, {"data": [one for _, one in found[:limit]], "cursor": cursor, "has_more": has_more}


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _list(store: Store, kind: str, ids: List[int], query: _Query, body: Any) -> Tuple[int, Any]:
    keys, wanted = query.all("external_key"), query.all("id")
    rows = [one for one in store.things[kind] if not keys or one["external_key"] in keys]
    return 200, _page([one for one in rows if not wanted or str(one["id"]) in wanted], query, _SORTS, "external_key")


def _batch(store: Store, kind: str, ids: List[int], query: _Query, body: Any) -> Tuple[int, Any]:
    mode = query.one_of("mode", ("upsert", "create", "update"), "upsert")
    is_trial = query.one_of("dry_run", ("true", "false"), "false") == "true"
    query.refuse_others()
    before = store.snapshot() if is_trial else None
    firsts: Dict[Any, int] = {}
    rows: List[Json] = []
    for index, item in enumerate(validate(body, BATCH)["items"]):
        try:
            key = item.get("external_key")
            if key in firsts:
                raise conflict(f"external_key is already in items[{firsts[key]}]")
            firsts.update({} if key is None else {key: index})
            status, id = store.put(kind, item, mode)
            rows.append({"index": index, "status": status, "id": None if is_trial and status == "created" else id, "error": None})
        except Refusal as refusal:
            error = {name: value for name, value in refusal.body.items() if name not in ("title", "status")}
            rows.append({"index": index, "status": "failed", "id": None, "error": error})
    if is_trial:
        store.restore(before)
    return 200, {"data": rows}


_Operation = Callable[[Store, str, List[int], _Query, Any], Tuple[int, Any]]


def _plain(status: int, work: Callable[[Store, str, List[int], Any], Any]) -> _Operation:
    """An operation without parameters."""

    def operation(store: Store, kind: str, ids: List[int], query: _Query, body: Any) -> Tuple[int, Any]:
        query.refuse_others()
        result = work(store, kind, ids, body)
        return status, None if status == 204 else {"data": result}

    return operation


def _change(store: Store, kind: str, ids: List[int], body: Any) -> Json:
    thing = store.one(kind, ids[0])
    store.change(kind, thing, body)
    return thing


_OPERATIONS: Dict[str, _Operation] = {
    "GET": _list,
    "POST /batch": _batch,
    "POST": _plain(201, lambda store, kind, ids, body: store.create(kind, body)),
    "GET /#": _plain(200, lambda store, kind, ids, body: store.one(kind, ids[0])),
    "PATCH /#": _plain(200, _change),
    "DELETE /#": _plain(204, lambda store, kind, ids, body: store.remove(kind, store.one(kind, ids[0]))),
    "POST /#/tags": _plain(201, lambda store, kind, ids, body: store.attach(kind, store.one(kind, ids[0]), body)),
    "DELETE /#/tags/#": _plain(204, lambda store, kind, ids, body: store.detach(kind, store.one(kind, ids[0]), ids[1])),
}
