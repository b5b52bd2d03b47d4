"""The steps of a call, for both clients: generators that yield what has to be done, and are sent the result."""

from __future__ import annotations

import math
import re
import time
from typing import Any, Callable, Generator, Mapping, NamedTuple, Optional, Tuple, TypeVar, Union
from uuid import uuid4

import httpx

from .errors import ApiError, Call, failure_of, result_of, retry_after_of
from .gate import Gate, Place, rate_of
from .retry import Broken, NAME, NAMED_PATHS, is_counted, pause_after

UNCOUNTED = 0.05  # between requests that no rate counts, after one was refused because the service is full
RENEW_BEFORE = 60.0  # a token is replaced this long before it expires, so that it does not expire on its way
T = TypeVar("T")


def refuse_insecure_http(base_url: str) -> None:
    """Raises ValueError for an `http:` address of another machine."""
    url = httpx.URL(base_url)
    if url.scheme == "http" and not re.fullmatch(r"(.+\.)?localhost|127(\.\d+){3}|::1", url.host):
        raise ValueError(f"{base_url} would send the key unencrypted. Use https, or set allow_insecure_http.")


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
        self, http: Union[httpx.Client, httpx.AsyncClient], base_url: str, client_id: str, secret: str, attempts: int,
        max_wait: float, clock: Callable[[], float],
    ) -> None:  # fmt: skip
        self._http, self._base_url, self._attempts = http, base_url.rstrip("/"), attempts
        self._grant = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        self._max_wait, self._clock = max_wait, clock
        # That of tokens is apart from the others, so that one can be renewed while they wait for their turn.
        self._counted, self._uncounted, self._exchanges, self._links = Gate(), Gate(UNCOUNTED), Gate(), Gate()
        self._token, self._renew_at = "", 0.0
        self._failures, self._failure = 0, Exception()

    def call(self, method: str, path: str, params: Optional[Mapping[str, Any]] = None, json: Any = None) -> Steps[Any]:
        """Returns the parsed body. Repeats the request once with a new token after a 401."""
        request = self._request(method, path, params, json)
        response, sent = yield from self._sent(request, self._counted if is_counted(request) else self._uncounted)
        return result_of(response, sent)

    def data(self, method: str, path: str, json: Any = None) -> Steps[Any]:
        """As `call`, without the envelope."""
        return (yield from self.call(method, path, json=json))["data"]

    def link(self, path: str, headers: Mapping[str, str]) -> Steps[httpx.Response]:
        """The response of a link, which needs no token and counts against no rate. Raises ApiError."""
        request = self._request("GET", path)
        request.headers.update(headers)
        response, sent = yield from self._sent(request, self._links, has_token=False)
        if not response.is_success:
            result_of(response, sent)
        return response

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
            response, sent = yield from self._sent(request, self._exchanges, has_token=False)
            pair = result_of(response, sent)
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
        if method.upper() == "POST" and NAMED_PATHS.search(path):
            headers[NAME] = str(uuid4())
        present = {name: value for name, value in (params or {}).items() if value is not None}
        url = f"{self._base_url}{path}"
        return self._http.build_request(method, url, params=present or None, json=json, headers=headers)

    def _sent(self, request: httpx.Request, gate: Gate, has_token: bool = True) -> Steps[Tuple[httpx.Response, Call]]:
        """
        The last response. Raises ConnectionFailed. 429 means that the request has not begun, so it takes its turn again, for
        as long as `max_wait` allows. A token is taken at its turn, and replaced once after a 401.
        """
        place = gate.join(self._clock() + self._max_wait)
        url = str(request.url.copy_with(query=None, fragment=None))
        refused: Optional[str] = None
        attempt, sent = 1, 0
        try:
            while True:
                yield from self._turn(gate, place, Call(request.method, url, sent))
                if has_token:
                    token = self._current(refused) or (yield NewToken(refused, self._failures))
                    request.headers["authorization"] = f"Bearer {token}"
                result: Union[httpx.Response, Broken] = yield request
                sent += 1
                status = result.status_code if isinstance(result, httpx.Response) else None
                if isinstance(result, httpx.Response) and status == 429:
                    asked = retry_after_of(result)
                    gate.refused(place, self._clock(), 1.0 if asked is None else asked)
                    if self._clock() + gate.closed_for(self._clock()) > place.give_up_at:
                        return result, Call(request.method, url, sent)
                    continue
                rate = rate_of(result.headers) if isinstance(result, httpx.Response) else None
                gate.answered(place, self._clock(), rate)
                if has_token and status == 401 and refused is None:
                    refused = token
                    gate.again(place)
                    continue
                pause = pause_after(request, result, attempt) if attempt < self._attempts else None
                if pause is None:
                    call = Call(request.method, url, sent)
                    if isinstance(result, Exception):
                        raise failure_of(result, call)
                    return result, call
                yield pause
                attempt += 1
                gate.again(place)
        finally:
            gate.leave(place)

    def _turn(self, gate: Gate, place: Place, call: Call) -> Steps[None]:
        pause = gate.pause(place, self._clock())
        while pause > 0:
            if pause == math.inf:
                following, most = math.ceil(gate.closed_for(self._clock())), math.ceil(self._max_wait)
                text = f"no turn under the rate limit within {most} s of waiting. The next one is in {following} s"
                raise ApiError(429, None, text, retry_after=following, call=call)
            yield pause
            pause = gate.pause(place, self._clock())
