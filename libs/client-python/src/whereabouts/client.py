from __future__ import annotations

import asyncio
import re
import threading
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Dict, Generic, Iterable, Iterator, Literal
from typing import Optional, Sequence, Tuple, TypeVar, Union, overload
from urllib.parse import quote

import httpx

from .calls import Calls, NewToken, Step, Steps
from .retry import BROKEN
from .types import Asset, AssetFields, AssetLocation, CurrentLocation, HistoryRow, InventorySaved, Location
from .types import LocationFields
from .upsert import UpsertedAsset, UpsertedLocation, upsert

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")
Body = TypeVar("Body")
OneAsset = TypeVar("OneAsset")
OneLocation = TypeVar("OneLocation")
Saved = TypeVar("Saved")
Query = Union[str, int, Sequence[str], Sequence[int], None]
LocationPath = Literal[
    "/api/v1/locations", "/api/v1/locations/{location_id}/ancestors",
    "/api/v1/locations/{location_id}/children", "/api/v1/locations/{location_id}/descendants",
]  # fmt: skip
PAGE = 200


class _Methods(Generic[Body, OneAsset, OneLocation, Saved]):
    """The methods of both clients. The parameters are what they return: a result, or one to wait for."""

    _calls: Calls

    def _run(self, steps: Steps[Any]) -> Any:
        raise NotImplementedError

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


class Whereabouts(_Methods[Any, UpsertedAsset, UpsertedLocation, InventorySaved]):
    """
    The API for programs that have an API key. Exchanges it for tokens and renews them; repeats a request once with a new token
    after a 401; waits and retries. Methods raise ApiError, and the errors of httpx for connections. Threads may share it.

    `base_url`: the address before `/api/v1`. `user_agent` names your product, as in `my-warehouse/1.0`. `attempts`: of one
    request, the first included. `inactivity_timeout`: seconds of waiting to connect, to send or for the next bytes of the
    response; it does not limit the sum. `transport`: for proxies, certificates and tests. `sleep`: for tests.
    """

    def __init__(
        self, base_url: str, client_id: str, client_secret: str, user_agent: str,
        *, attempts: int = 5, inactivity_timeout: float = 30,
        transport: Optional[httpx.BaseTransport] = None, sleep: Callable[[float], object] = time.sleep,
    ) -> None:  # fmt: skip
        timeout = httpx.Timeout(inactivity_timeout, pool=None)  # one of many calls that waits to begin is not inactive
        self._http = httpx.Client(headers={"user-agent": user_agent}, timeout=timeout, transport=transport)
        self._calls = Calls(self._http, base_url, client_id, client_secret, attempts)
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
    _Methods[Awaitable[Any], Awaitable[UpsertedAsset], Awaitable[UpsertedLocation], Awaitable[InventorySaved]]
):
    """As Whereabouts, for asyncio."""

    def __init__(
        self, base_url: str, client_id: str, client_secret: str, user_agent: str,
        *, attempts: int = 5, inactivity_timeout: float = 30, transport: Optional[httpx.AsyncBaseTransport] = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        timeout = httpx.Timeout(inactivity_timeout, pool=None)  # one of many calls that waits to begin is not inactive
        self._http = httpx.AsyncClient(headers={"user-agent": user_agent}, timeout=timeout, transport=transport)
        self._calls = Calls(self._http, base_url, client_id, client_secret, attempts)
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
