"""The steps of a call, for both clients: generators that yield what has to be done, and are sent the result."""

from __future__ import annotations

import time
from typing import Any, Generator, Mapping, NamedTuple, Optional, TypeVar, Union

import httpx

from .errors import result_of
from .retry import Broken, pause_after

RENEW_BEFORE = 60.0  # a token is replaced this long before it expires, so that it does not expire on its way
T = TypeVar("T")


class NewToken(NamedTuple):
    """Run `Calls.exchange` with these arguments, one at a time. Its result is the result of the step."""

    refused: Optional[str]
    failures: int


#: A number is a pause in seconds. The result of a request is a response, or an error of `retry.BROKEN`.
Step = Union[httpx.Request, float, NewToken]
Steps = Generator[Step, Any, T]


class Calls:
    """Requests with a token that all of them share, and with retries."""

    def __init__(
        self, http: Union[httpx.Client, httpx.AsyncClient], base_url: str, client_id: str, secret: str, attempts: int
    ) -> None:
        self._http, self._base_url, self._attempts = http, base_url.rstrip("/"), attempts
        self._grant = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        self._token, self._renew_at = "", 0.0
        self._failures, self._failure = 0, Exception()

    def call(self, method: str, path: str, params: Optional[Mapping[str, Any]] = None, json: Any = None) -> Steps[Any]:
        """Returns the parsed body. Repeats the request once with a new token after a 401."""
        request = self._request(method, path, params, json)
        token = self._current() or (yield NewToken(None, self._failures))
        response = yield from self._authorized(request, token)
        if response.status_code == 401:
            token = self._current(refused=token) or (yield NewToken(token, self._failures))
            response = yield from self._authorized(request, token)
        return result_of(response)

    def data(self, method: str, path: str, json: Any = None) -> Steps[Any]:
        """As `call`, without the envelope."""
        return (yield from self.call(method, path, json=json))["data"]

    def exchange(self, refused: Optional[str], failures: int) -> Steps[str]:
        """Calls that waited for the same exchange share its result, also its failure: the API throttles failed ones."""
        token = self._current(refused)
        if token:
            return token
        if failures != self._failures:
            raise self._failure
        asked_at = time.monotonic()
        request = self._request("POST", "/api/v1/oauth/token", json=self._grant)
        try:
            pair = result_of((yield from self._retrying(request)))
        except Exception as error:
            self._failures, self._failure = self._failures + 1, error
            raise
        self._token, self._renew_at = pair["access_token"], asked_at + pair["expires_in"] - RENEW_BEFORE
        return self._token

    def _current(self, refused: Optional[str] = None) -> Optional[str]:
        return self._token if self._token != refused and time.monotonic() < self._renew_at else None

    def _request(
        self, method: str, path: str, params: Optional[Mapping[str, Any]] = None, json: Any = None
    ) -> httpx.Request:
        if not path.startswith("/"):
            raise ValueError("the path must start with /")  # it would become a part of the host
        headers = {"content-type": "application/merge-patch+json"} if method.upper() == "PATCH" else {}
        present = {name: value for name, value in (params or {}).items() if value is not None}
        url = f"{self._base_url}{path}"
        return self._http.build_request(method, url, params=present or None, json=json, headers=headers)

    def _authorized(self, request: httpx.Request, token: str) -> Steps[httpx.Response]:
        request.headers["authorization"] = f"Bearer {token}"
        return (yield from self._retrying(request))

    def _retrying(self, request: httpx.Request) -> Steps[httpx.Response]:
        """The last response. Raises the last error of httpx."""
        attempt = 1
        while True:
            result: Union[httpx.Response, Broken] = yield request
            pause = pause_after(request, result, attempt) if attempt < self._attempts else None
            if pause is None:
                if isinstance(result, Exception):
                    raise result
                return result
            yield pause
            attempt += 1
