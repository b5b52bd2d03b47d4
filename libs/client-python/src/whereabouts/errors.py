from __future__ import annotations

from typing import Any, List, Optional

import httpx

from .types import ErrorConflict, ErrorDetails, FieldError


class ApiError(Exception):
    """
    A response that is not 2xx, or not JSON. `type` is None if the body is not the envelope of the API. That is so for the
    403 of a missing User-Agent, and for what a proxy on the way answers; then `detail` is the beginning of the body.
    `request_id`: by which the operator finds the request.
    """

    def __init__(self, status: int, error: Optional[ErrorDetails], text: str = "", request_id: Optional[str] = None) -> None:
        super().__init__(status, error, text, request_id)  # its parameters, so that it can be pickled
        self.status = status
        self.type: Optional[str] = error["type"] if error else None
        self.detail: str = error["detail"] if error else text.strip()[:200]
        self.fields: List[FieldError] = error.get("fields", []) if error else []
        self.conflict: Optional[ErrorConflict] = error.get("conflict") if error else None
        self.request_id: Optional[str] = error["request_id"] if error else request_id

    def __str__(self) -> str:
        parts = [self.type or f"HTTP status {self.status}", f": {self.detail}" if self.detail else ""]
        return "".join([*parts, f" (request {self.request_id})" if self.request_id else ""])


def result_of(response: httpx.Response) -> Any:
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
    raise ApiError(response.status_code, error, response.text, response.headers.get("x-request-id"))
