from __future__ import annotations

import random
import re
from typing import Optional, Union

import httpx

from .errors import retry_after_of

FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
LONGEST_RETRY_AFTER = 60.0  # if the API asks for a longer wait after a 5xx, the caller decides
REPEATABLE = {"GET", "HEAD", "PUT", "DELETE"}
REPEATABLE_PATHS = re.compile(r"/oauth/token$")  # a token more does no harm
#: POSTs that take a name, so that a repeat gets the answer of the first and changes nothing.
NAMED_PATHS = re.compile(r"(?<!/legacy)/api/v1/(?:(?:assets|locations)(?:/batch|/\d+/tags)?|inventory/save)$")
NAME = "idempotency-key"
UNCOUNTED_PATHS = re.compile(r"/(?:assets|locations)(?:/|$)|/(?:oauth/token|inventory/save)$")
#: Timeouts and broken connections. Not httpx.TransportError, which includes mistakes of the calling program.
BROKEN = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)
Broken = Union[httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError]


def pause_after(request: httpx.Request, result: Union[httpx.Response, Broken], attempt: int) -> Optional[float]:
    """
    In seconds; None if the result is final. After a 5xx, a timeout or a broken connection, only requests are repeated that do
    the same again: a PATCH may have succeeded. A POST that takes an `Idempotency-Key` has one, which all its attempts share.
    """
    status = result.status_code if isinstance(result, httpx.Response) else 599
    is_named = NAME in request.headers
    is_repeatable = is_named or request.method in REPEATABLE or REPEATABLE_PATHS.search(request.url.path)
    # The attempt before is still running, although its connection broke.
    is_running = is_named and isinstance(result, httpx.Response) and status == 409 and "retry-after" in result.headers
    if not (is_repeatable and (status >= 500 or is_running)):
        return None
    asked = retry_after_of(result) if isinstance(result, httpx.Response) else None
    backoff = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)
    pause = backoff if asked is None else asked
    return pause if pause <= LONGEST_RETRY_AFTER else None


def is_counted(request: httpx.Request) -> bool:
    """As D9.9 says. What is not counted never waits for what is."""
    if request.method in ("GET", "HEAD"):
        return not request.url.path.endswith(("/orgs/me", "/events"))
    return request.method == "PATCH" or not UNCOUNTED_PATHS.search(request.url.path)
