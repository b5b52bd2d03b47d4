from __future__ import annotations

import asyncio
import re
import threading
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, BinaryIO, Callable, Dict, Generic, Iterable, Iterator, List, Literal, NoReturn
from typing import Optional, Sequence, Tuple, TypeVar, Union, cast, overload
from urllib.parse import quote

import httpx

from .calls import Calls, NewToken, Step, Steps, refuse_insecure_http
from .errors import ApiError
from .events import CursorStore, Place
from .exports import download, list_all, wait_for
from .follow import Follower, filter_of
from .retry import BROKEN
from .sync import Mode, SyncReport, SyncResult, sync
from .types import Asset, AssetBatchItem, AssetFields, AssetLocation, CurrentLocation, Event, HistoryRow, InventorySaved, Location, Movement
from .types import Export, ExportDetail, ExportFile, LocationBatchItem, LocationFields
from .upsert import UpsertedAsset, UpsertedLocation, upsert

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")
Body = TypeVar("Body")
OneAsset = TypeVar("OneAsset")
OneLocation = TypeVar("OneLocation")
Saved = TypeVar("Saved")
Synced = TypeVar("Synced")
Begun = TypeVar("Begun")
Detail = TypeVar("Detail")
Listed = TypeVar("Listed")
Ended = TypeVar("Ended")
Query = Union[str, int, Sequence[str], Sequence[int], None]
LocationPath = Literal[
    "/api/v1/locations", "/api/v1/locations/{location_id}/ancestors",
    "/api/v1/locations/{location_id}/children", "/api/v1/locations/{location_id}/descendants",
]  # fmt: skip
PAGE = 200


class _Assets(Generic[Synced]):
    """The assets of a client."""

    def __init__(self, run: Callable[[Steps[SyncReport]], Any], calls: Calls) -> None:
        self._run, self._calls = run, calls

    def sync(
        self, items: Iterable[AssetBatchItem], *, dry_run: bool = False, mode: Mode = "upsert", retire_at_most: Optional[int] = None,
        on_result: Optional[Callable[[SyncResult], object]] = None,
    ) -> Synced:  # fmt: skip
        """
        Makes assets what `items` say, by `external_key`, up to 500 in a request that the rate of a key does not count. What an item
        leaves out stays as it is; `tags`, if it has them, are all tags afterwards. May be repeated: what is equal is not changed. An
        item that fails fails no other. `dry_run` changes nothing. `retire_at_most`: also ends what is valid now and not among the items
        (`valid_to` is set), once all items succeeded, and raises ValueError instead if that would be more assets. `on_result`:
        called for each item. Returns how many were created, updated, unchanged, failed and retired.
        """
        return cast(Synced, self._run(sync(self._calls, "assets", items, dry_run, mode, retire_at_most, on_result)))


class _Locations(Generic[Synced]):
    """The locations of a client."""

    def __init__(self, run: Callable[[Steps[SyncReport]], Any], calls: Calls) -> None:
        self._run, self._calls = run, calls

    def sync(
        self, items: Iterable[LocationBatchItem], *, dry_run: bool = False, mode: Mode = "upsert",
        on_result: Optional[Callable[[SyncResult], object]] = None,
    ) -> Synced:  # fmt: skip
        """As `assets.sync`, without retiring. A parent comes before what it holds."""
        return cast(Synced, self._run(sync(self._calls, "locations", items, dry_run, mode, None, on_result)))


class _Exports(Generic[Begun, Detail, Listed, Ended]):
    """The exports of a client."""

    def __init__(self, run: Callable[[Steps[Any]], Any], calls: Calls) -> None:
        self._run, self._calls = run, calls

    def create(
        self, dataset: Literal["history", "movements", "assets", "locations"], *, format: Literal["csv", "ndjson", "parquet"],
        start: Optional[str] = None, end: Optional[str] = None,
    ) -> Begun:  # fmt: skip
        """
        Begins an export of all that is kept, or from `start` to `end`, both inclusive. While others of the organization wait, it
        waits for its turn as for the rate (`max_wait`). Not repeated after a broken connection, because there would be two: see `list`.
        """
        given = {"dataset": dataset, "format": format, "from": start, "to": end}
        body = {name: value for name, value in given.items() if value is not None}
        return cast(Begun, self._run(self._calls.data("POST", "/api/v1/exports", body)))

    def get(self, export_id: int) -> Detail:
        """An export, with its files so far."""
        return cast(Detail, self._run(self._calls.data("GET", f"/api/v1/exports/{export_id}")))

    def list(self) -> Listed:
        """All exports, newest first."""
        return cast(Listed, self._run(list_all(self._calls)))

    def delete(self, export_id: int) -> Ended:
        """Stops an export that is not done, and removes its files."""
        return cast(Ended, self._run(self._calls.call("DELETE", f"/api/v1/exports/{export_id}")))

    def wait(
        self, export_id: int, *, on_progress: Optional[Callable[[ExportDetail], object]] = None, interval: float = 2
    ) -> Detail:
        """
        Reads the export again and again, every `interval` seconds, until it is done. Returns it with its files. 5xx, 429 and
        broken connections only delay it. `on_progress`: called with each state. Raises ExportFailed, whose message says what to do.
        """
        return cast(Detail, self._run(wait_for(self._calls, export_id, on_progress, interval)))

    def download(self, file: ExportFile, target: BinaryIO) -> Ended:
        """
        Writes a file to `target`, 4 MiB at a time. A connection that breaks costs one of them. Raises ValueError if the checksum is
        another, and ApiError with status 404 if the export was removed.
        """
        return cast(Ended, self._run(download(self._calls, file, target)))


class _Methods(Generic[Body, OneAsset, OneLocation, Saved, Synced, Begun, Detail, Listed, Ended]):
    """The methods of both clients. The parameters are what they return: a result, or one to wait for."""

    _calls: Calls

    def _run(self, steps: Steps[Any]) -> Any:
        raise NotImplementedError

    @property
    def assets(self) -> _Assets[Synced]:
        """Many assets at once: `assets.sync`."""
        return _Assets(self._run, self._calls)

    @property
    def locations(self) -> _Locations[Synced]:
        """Many locations at once: `locations.sync`."""
        return _Locations(self._run, self._calls)

    @property
    def exports(self) -> _Exports[Begun, Detail, Listed, Ended]:
        """History, movements, assets and locations as files: `exports.create`, then `exports.wait`."""
        return _Exports(self._run, self._calls)

    def request(
        self, method: str, path: str, *, params: Optional[Dict[str, Query]] = None, json: object = None
    ) -> Body:
        """Any operation: `request("GET", "/api/v1/assets/1")["data"]`. Returns the parsed body, None if there is none."""
        return self._run(self._calls.call(method, path, params, json))

    def upsert_asset(self, external_key: str, **fields: Unpack[AssetFields]) -> OneAsset:
        """
        Creates the asset with this key, or gives it these fields. What is left out stays as it is; `tags` are added, never
        taken away. May be repeated, also by several programs at once. Status 409 if another asset or location has a tag.
        """
        return self._run(upsert(self._calls, "asset", external_key, fields))

    def upsert_location(self, external_key: str, **fields: Unpack[LocationFields]) -> OneLocation:
        """As `upsert_asset`."""
        return self._run(upsert(self._calls, "location", external_key, fields))

    def save_inventory(self, asset_keys: Iterable[str], location_key: str) -> Saved:
        """Says that assets are at a location now: up to 10 000 keys, all or none."""
        if isinstance(asset_keys, str):
            raise TypeError("asset_keys must be several keys")  # the characters of one would be keys
        body = {"asset_identifiers": list(asset_keys), "location_identifier": location_key}
        return self._run(self._calls.data("POST", "/api/v1/inventory/save", body))


class Whereabouts(
    _Methods[Any, UpsertedAsset, UpsertedLocation, InventorySaved, SyncReport, Export, ExportDetail, List[Export], None]
):
    """
    The API for programs that have an API key. Exchanges it for tokens and renews them; repeats a request once with a new token
    after a 401; waits and retries, all calls in one queue under the rate limit. Methods raise ApiError. Threads may share it.

    `base_url`: the address before `/api/v1`. `user_agent` names your product, as in `my-warehouse/1.0`. `attempts`: of one
    request, the first included; a 429 is none. `inactivity_timeout`: seconds of waiting to connect, to send or for the next bytes of the
    response; it does not limit the sum. `max_wait`: seconds that a request may wait for its turn under the rate limit.
    `allow_insecure_http`: sends the key over `http:` to other machines, where anybody on the way can read it.
    `transport`: for proxies, certificates and tests. `sleep`, `clock`: for tests.
    """

    def __init__(
        self, base_url: str, client_id: str, client_secret: str, user_agent: str,
        *, attempts: int = 5, inactivity_timeout: float = 30, max_wait: float = 300, allow_insecure_http: bool = False,
        transport: Optional[httpx.BaseTransport] = None, sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        if not allow_insecure_http:
            refuse_insecure_http(base_url)
        timeout = httpx.Timeout(inactivity_timeout, pool=None)  # one of many calls that waits to begin is not inactive
        self._http = httpx.Client(headers={"user-agent": user_agent}, timeout=timeout, transport=transport)
        self._calls = Calls(self._http, base_url, client_id, client_secret, attempts, max_wait, clock)
        self._sleep, self._lock = sleep, threading.Lock()

    @overload
    def rows(self, path: Literal["/api/v1/assets"], /, **query: Query) -> Iterator[Asset]: ...
    @overload
    def rows(self, path: LocationPath, /, **query: Query) -> Iterator[Location]: ...
    @overload
    def rows(self, path: Literal["/api/v1/assets/{asset_id}/history"], /, **query: Query) -> Iterator[HistoryRow]: ...
    @overload
    def rows(self, path: Literal["/api/v1/reports/asset-locations"], /, **query: Query) -> Iterator[AssetLocation]: ...
    @overload
    def rows(self, path: Literal["/api/v1/locations/current"], /, **query: Query) -> Iterator[CurrentLocation]: ...
    @overload
    def rows(self, path: str, /, **query: Query) -> Iterator[Any]: ...
    def rows(self, path: str, /, **query: Query) -> Iterator[Any]:
        """
        The rows of all pages of a list, 200 at a time, without holding more than a page. Names in braces in the path are
        taken from `query`; a name that is a word of Python has an underscore at its end, as in `from_`. Rows that others
        create or delete meanwhile may shift: sort by a field that does not change.
        """
        path, params = _filled(path, query)
        offset, total = 0, 1
        while offset < total:
            page = self.request("GET", path, params=dict(limit=PAGE, offset=offset, **params))
            offset, total = offset + PAGE, page["total_count"]
            yield from page["data"]

    def movements(
        self, *, start: Optional[str] = None, end: Optional[str] = None, asset_ids: Optional[Iterable[int]] = None,
        location_ids: Optional[Iterable[int]] = None, include_descendants: bool = False,
        types: Optional[Iterable[str]] = None,
    ) -> Iterator[Movement]:  # fmt: skip
        """What moved from where to where, of all pages, newest first. Both instants are included."""
        params = {"limit": 500, "from": start, "to": end, **filter_of(asset_ids, location_ids, include_descendants, types)}
        while True:
            page = self.request("GET", "/api/v1/movements", params=params)
            yield from page["data"]
            if page["cursor"] is None:
                return
            params["after"] = page["cursor"]

    def follow(
        self, *, start: Optional[str] = None, asset_ids: Optional[Iterable[int]] = None,
        location_ids: Optional[Iterable[int]] = None, include_descendants: bool = False,
        types: Optional[Iterable[str]] = None, interval: float = 5, overlap: float = 600,
    ) -> Iterator[Movement]:  # fmt: skip
        """
        Each movement once, oldest first of each question, without end: it asks again and again, and 5xx, 429 and broken
        connections only delay it. Begins with `start`, or with what moves from now on; a program that was down gives the
        `occurred_at` that it handled last, and gets that one again. `interval`, `overlap`: in seconds.

        Movements may come late, and are then inserted into the past. Those up to `overlap` older than the newest one are
        found, if there are many movements within a minute; later ones are not. History has one location for each asset and
        minute: an asset that leaves and is back within a minute has not moved, also if the first half was yielded already.
        So what matters for good is compared with the report from time to time.
        """
        given = filter_of(asset_ids, location_ids, include_descendants, types)
        follower = Follower(start, overlap, time.time(), interval)
        while True:
            moved: List[Movement] = []
            try:
                page = self.request("GET", "/api/v1/movements", params={**given, **follower.bounds()})
                moved = follower.take(page, time.time())
            except ApiError as error:
                follower.failed(error)
            yield from moved
            if follower.pause > 0:
                self._sleep(follower.pause)

    def consume_events(
        self, on_event: Callable[[Event], object], *, store: Optional[CursorStore] = None,
        types: Optional[Iterable[str]] = None, start: Literal["oldest", "now"] = "oldest",
    ) -> NoReturn:  # fmt: skip
        """
        Calls `on_event` for each event, one after the other, and goes on where the cursor in `store` says. 5xx, 429 and broken
        connections only delay it. The cursor is stored after each page, so after a crash the events of a page come again, with
        the same `id`. Never returns: raises what `on_event` raised, or an ApiError, whose status is 410 if events after the
        cursor are no longer kept. Then read everything again, and go on from `events_cursor()`. `start`: where an empty store begins.
        """
        place = Place(store, types, start)
        while True:
            try:
                page = self.request("GET", "/api/v1/events", params=place.query())
            except ApiError as error:
                self._sleep(place.failed(error))
                continue
            for event in page["data"]:
                on_event(event)
            place.handled(page["cursor"])

    def events_cursor(self) -> str:
        """The place after the newest event. Take it before you read everything, and store it afterwards."""
        return str(self.request("GET", "/api/v1/events", params={"after": "now", "limit": 1})["cursor"])

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        result = None
        try:
            while True:
                result = self._do(steps.send(result))
        except StopIteration as end:
            return end.value
        finally:
            steps.close()  # a call that is cancelled leaves the queue

    def _do(self, step: Step) -> Any:
        if isinstance(step, float):
            return self._sleep(step)
        if isinstance(step, NewToken):
            with self._lock:
                return self._run(self._calls.exchange(*step))
        try:
            return self._http.send(step)
        except BROKEN as error:
            return error


class AsyncWhereabouts(
    _Methods[
        Awaitable[Any], Awaitable[UpsertedAsset], Awaitable[UpsertedLocation], Awaitable[InventorySaved], Awaitable[SyncReport],
        Awaitable[Export], Awaitable[ExportDetail], Awaitable[List[Export]], Awaitable[None],
    ]  # fmt: skip
):
    """As Whereabouts, for asyncio."""

    def __init__(
        self, base_url: str, client_id: str, client_secret: str, user_agent: str,
        *, attempts: int = 5, inactivity_timeout: float = 30, max_wait: float = 300, allow_insecure_http: bool = False,
        transport: Optional[httpx.AsyncBaseTransport] = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        if not allow_insecure_http:
            refuse_insecure_http(base_url)
        timeout = httpx.Timeout(inactivity_timeout, pool=None)  # one of many calls that waits to begin is not inactive
        self._http = httpx.AsyncClient(headers={"user-agent": user_agent}, timeout=timeout, transport=transport)
        self._calls = Calls(self._http, base_url, client_id, client_secret, attempts, max_wait, clock)
        self._sleep = sleep
        self._lock: Optional[asyncio.Lock] = None  # made in the event loop, which Python 3.9 binds it to

    @overload
    def rows(self, path: Literal["/api/v1/assets"], /, **query: Query) -> AsyncIterator[Asset]: ...
    @overload
    def rows(self, path: LocationPath, /, **query: Query) -> AsyncIterator[Location]: ...
    @overload
    def rows(self, path: Literal["/api/v1/assets/{asset_id}/history"], /, **query: Query) -> AsyncIterator[HistoryRow]: ...
    @overload
    def rows(self, path: Literal["/api/v1/reports/asset-locations"], /, **query: Query) -> AsyncIterator[AssetLocation]: ...
    @overload
    def rows(self, path: Literal["/api/v1/locations/current"], /, **query: Query) -> AsyncIterator[CurrentLocation]: ...
    @overload
    def rows(self, path: str, /, **query: Query) -> AsyncIterator[Any]: ...
    async def rows(self, path: str, /, **query: Query) -> AsyncIterator[Any]:
        """As Whereabouts.rows."""
        path, params = _filled(path, query)
        offset, total = 0, 1
        while offset < total:
            page = await self.request("GET", path, params=dict(limit=PAGE, offset=offset, **params))
            offset, total = offset + PAGE, page["total_count"]
            for row in page["data"]:
                yield row

    async def movements(
        self, *, start: Optional[str] = None, end: Optional[str] = None, asset_ids: Optional[Iterable[int]] = None,
        location_ids: Optional[Iterable[int]] = None, include_descendants: bool = False,
        types: Optional[Iterable[str]] = None,
    ) -> AsyncIterator[Movement]:  # fmt: skip
        """As Whereabouts.movements."""
        params = {"limit": 500, "from": start, "to": end, **filter_of(asset_ids, location_ids, include_descendants, types)}
        while True:
            page = await self.request("GET", "/api/v1/movements", params=params)
            for row in page["data"]:
                yield row
            if page["cursor"] is None:
                return
            params["after"] = page["cursor"]

    async def follow(
        self, *, start: Optional[str] = None, asset_ids: Optional[Iterable[int]] = None,
        location_ids: Optional[Iterable[int]] = None, include_descendants: bool = False,
        types: Optional[Iterable[str]] = None, interval: float = 5, overlap: float = 600,
    ) -> AsyncIterator[Movement]:  # fmt: skip
        """As Whereabouts.follow."""
        given = filter_of(asset_ids, location_ids, include_descendants, types)
        follower = Follower(start, overlap, time.time(), interval)
        while True:
            moved: List[Movement] = []
            try:
                page = await self.request("GET", "/api/v1/movements", params={**given, **follower.bounds()})
                moved = follower.take(page, time.time())
            except ApiError as error:
                follower.failed(error)
            for movement in moved:
                yield movement
            if follower.pause > 0:
                await self._sleep(follower.pause)

    async def consume_events(
        self, on_event: Callable[[Event], Awaitable[object]], *, store: Optional[CursorStore] = None,
        types: Optional[Iterable[str]] = None, start: Literal["oldest", "now"] = "oldest",
    ) -> NoReturn:  # fmt: skip
        """As Whereabouts.consume_events."""
        place = Place(store, types, start)
        while True:
            try:
                page = await self.request("GET", "/api/v1/events", params=place.query())
            except ApiError as error:
                await self._sleep(place.failed(error))
                continue
            for event in page["data"]:
                await on_event(event)
            place.handled(page["cursor"])

    async def events_cursor(self) -> str:
        """As Whereabouts.events_cursor."""
        return str((await self.request("GET", "/api/v1/events", params={"after": "now", "limit": 1}))["cursor"])

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        result = None
        try:
            while True:
                result = await self._do(steps.send(result))
        except StopIteration as end:
            return end.value
        finally:
            steps.close()  # a call that is cancelled leaves the queue

    async def _do(self, step: Step) -> Any:
        if isinstance(step, float):
            return await self._sleep(step)
        if isinstance(step, NewToken):
            self._lock = self._lock or asyncio.Lock()
            async with self._lock:
                return await self._run(self._calls.exchange(*step))
        try:
            return await self._http.send(step)
        except BROKEN as error:
            return error


def _filled(path: str, query: Dict[str, Query]) -> Tuple[str, Dict[str, Query]]:
    """The path with its parameters, and the other parameters with their names in the API."""
    params = {name.rstrip("_"): value for name, value in query.items()}
    return re.sub(r"\{(\w+)\}", lambda match: quote(str(params.pop(match[1])), safe=""), path), params
