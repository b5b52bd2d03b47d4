from __future__ import annotations

import random
import re
import time
from email.utils import parsedate_to_datetime
from typing import Optional

import httpx

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
#: If the API asks for a longer wait, the caller decides.
LONGEST_RETRY_AFTER = 60.0

REPEATABLE = {"GET", "HEAD", "PUT", "DELETE"}
#: POSTs that do the same again, or nothing.
REPEATABLE_PATHS = re.compile(r"/(?:oauth/token|inventory/save)$")

#: Timeouts and broken connections. Not httpx.TransportError, which includes mistakes of the calling program.
BROKEN = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)


def is_repeatable(request: httpx.Request) -> bool:
    """Whether it does the same again. Any other POST or PATCH may have succeeded."""
    return request.method in REPEATABLE or bool(REPEATABLE_PATHS.search(request.url.path))


def backoff(attempt: int) -> float:
    """Seconds after an attempt, counted from 1: doubling from 1 to 30, with jitter."""
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)


def pause_after(response: httpx.Response, attempt: int) -> Optional[float]:
    """In seconds. None if the response is final. 429 means that the request has not begun, so it is always repeated."""
    status = response.status_code
    if status != 429 and not (status >= 500 and is_repeatable(response.request)):
        return None
    asked = _retry_after(response.headers.get("retry-after", ""))
    pause = backoff(attempt) if asked is None else asked
    return pause if pause <= LONGEST_RETRY_AFTER else None


def _retry_after(value: str) -> Optional[float]:
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
