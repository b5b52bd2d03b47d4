from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, List, NamedTuple, Optional

import httpx

from .types import ErrorConflict, ErrorDetails, FieldError


class Call(NamedTuple):
    """The request of an error. `url` is without its query, which may have what is not for a log."""

    method: Optional[str] = None
    url: Optional[str] = None
    attempts: Optional[int] = None


class ApiError(Exception):
    """
    A request that did not succeed: a response that is not 2xx, or not JSON, or none (ConnectionFailed, whose `status` is None).
    `type` is None if the body is not the envelope of the API. That is so for the 403 of a missing User-Agent, and for what a
    proxy on the way answers; then `detail` is the beginning of the body. `request_id`: by which the operator finds the request.
    `retry_after`: seconds, if the API said so. `attempts`: how often `method` and `url` were sent.
    """

    def __init__(
        self, status: Optional[int], error: Optional[ErrorDetails], text: str = "", request_id: Optional[str] = None,
        retry_after: Optional[float] = None, call: Call = Call(),
    ) -> None:  # fmt: skip
        # Its parameters, so that it can be pickled. Not those of another base, which have other meanings.
        Exception.__init__(self, status, error, text, request_id, retry_after, call)
        self.status = status
        self.type: Optional[str] = error["type"] if error else None
        self.detail: str = error["detail"] if error else text.strip()[:200]
        self.fields: List[FieldError] = error.get("fields", []) if error else []
        self.conflict: Optional[ErrorConflict] = error.get("conflict") if error else None
        self.request_id: Optional[str] = error["request_id"] if error else request_id
        self.retry_after = retry_after
        self.method, self.url, self.attempts = call

    def __str__(self) -> str:
        if self.status is None:
            return f"{self.detail} ({self.method} {self.url}, attempts: {self.attempts})"
        parts = [self.type or f"HTTP status {self.status}", f": {self.detail}" if self.detail else ""]
        return "".join([*parts, f" (request {self.request_id})" if self.request_id else ""])


class ConnectionFailed(ApiError, httpx.TransportError):
    """No response, or not all of it. `__cause__` is the error of httpx, and programs that expect one may catch this as one."""

    _request: Optional[httpx.Request] = None


class TimedOut(ConnectionFailed, httpx.TimeoutException):
    """No response, or not all of it, in time."""


def failure_of(error: httpx.TransportError, call: Call) -> ConnectionFailed:
    kind = TimedOut if isinstance(error, httpx.TimeoutException) else ConnectionFailed
    failure = kind(None, None, str(error) or type(error).__name__, call=call)
    failure.__cause__ = error
    return failure


def result_of(response: httpx.Response, call: Call = Call()) -> Any:
    """The parsed body, None if there is none. Raises ApiError."""
    error = None
    try:
        body = response.json() if response.content else None
        if response.is_success:
            return body
        if isinstance(body, dict) and isinstance(body.get("error"), dict):
            error = body["error"] if {"type", "detail", "request_id"} <= body["error"].keys() else None
    except ValueError:
        pass  # not JSON
    request_id = response.headers.get("x-request-id")
    raise ApiError(response.status_code, error, response.text, request_id, retry_after_of(response), call)


def retry_after_of(response: httpx.Response) -> Optional[float]:
    """In seconds, from a number or a date."""
    value = response.headers.get("retry-after", "")
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
