from __future__ import annotations

import random
import re
import time
from email.utils import parsedate_to_datetime
from typing import Optional, Union

import httpx

FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
LONGEST_RETRY_AFTER = 60.0  # if the API asks for a longer wait, the caller decides
REPEATABLE = {"GET", "HEAD", "PUT", "DELETE"}
REPEATABLE_PATHS = re.compile(r"/(?:oauth/token|inventory/save)$")  # POSTs that do the same again, or nothing
#: Timeouts and broken connections. Not httpx.TransportError, which includes mistakes of the calling program.
BROKEN = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)
Broken = Union[httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError]


def pause_after(request: httpx.Request, result: Union[httpx.Response, Broken], attempt: int) -> Optional[float]:
    """
    In seconds; None if the result is final. 429 means that the request has not begun, so it is always repeated. After a 5xx, a
    timeout or a broken connection, only requests are repeated that do the same again: a POST or PATCH may have succeeded.
    """
    status = result.status_code if isinstance(result, httpx.Response) else 599
    is_repeatable = request.method in REPEATABLE or REPEATABLE_PATHS.search(request.url.path)
    if status != 429 and not (status >= 500 and is_repeatable):
        return None
    asked = _retry_after(result.headers.get("retry-after", "")) if isinstance(result, httpx.Response) else None
    backoff = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)
    pause = backoff if asked is None else asked
    return pause if pause <= LONGEST_RETRY_AFTER else None


def _retry_after(value: str) -> Optional[float]:
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
