from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Protocol, Sequence, Tuple, TypedDict, Union

from .types import AssetMovedEvent

if TYPE_CHECKING:
    from typing_extensions import TypeGuard


class WebhookEvent(TypedDict):
    """
    A parsed event with a verified signature. Fields of later versions are kept. Ignore events with an unknown `event`. Use
    `delivery_id`, the same in each attempt, to detect duplicates, and `occurred_at` (RFC 3339) to order events.
    """

    event: str
    delivery_id: str
    occurred_at: str
    data: Any


class WebhookHeaders(Protocol):
    """A dict, or the headers of a web framework. Names may be in any case."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


class WebhookVerificationError(Exception):
    """
    The request must not be trusted. `code` is the reason: `missing_header`, `malformed_header`, `unknown_scheme`,
    `signature_mismatch`, `timestamp_too_old`, `timestamp_too_new`, `malformed_body`, or one of a later version. The message
    contains no secret and no signature.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)  # its parameters, so that it can be pickled
        self.code = code

    def __str__(self) -> str:
        return str(self.args[1])

    @property
    def is_genuine(self) -> bool:
        """
        The signature is correct and only the time is not: a late delivery or a replay. If a late delivery is refused, two
        more attempts with the same timestamp follow. So answer 2xx, change nothing, and read the report.
        """
        return self.code in ("timestamp_too_old", "timestamp_too_new")


RawBody = Union[bytes, bytearray, memoryview, str]


def is_asset_moved(event: WebhookEvent) -> TypeGuard[AssetMovedEvent]:
    return event["event"] == "asset.moved"


def verify_webhook(
    raw_body: RawBody, headers: WebhookHeaders, secret: Union[str, Sequence[str]],
    *, tolerance_seconds: float = 300, now: Callable[[], float] = time.time,
) -> WebhookEvent:  # fmt: skip
    """
    Returns the event of a delivery. Raises WebhookVerificationError if the request is not a valid delivery. Raises TypeError
    or ValueError for a mistake of the calling program: no secret, a body that was parsed already, an invalid tolerance. Of
    several secrets any may match: while a webhook is deleted and created again, the receiver needs both.

    `raw_body`: the unchanged bytes of the body, or their exact UTF-8 decoding. `tolerance_seconds`: how far the signed
    timestamp may be before or after now. It is the time of the scan, not of the delivery. If readers store reads while they
    are offline and send them later, use 86 700 (24 hours and 5 minutes). `now`: for tests.
    """
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds must be a number from 0")
    secrets, body = _secrets_of(secret), _bytes_of(raw_body)
    timestamp = _header(headers, "X-Service-Timestamp", r"0|[1-9][0-9]{0,11}")[0]
    signature = _header(headers, "X-Service-Signature", r"sha256=[0-9a-f]{64}|(?!sha256=)[a-z0-9-]{1,32}=[^=]*")[0]
    if not signature.startswith("sha256="):
        raise WebhookVerificationError("unknown_scheme", "the signature is not of the scheme sha256")
    # A list, which always tries all secrets, so that the time does not show which one matches.
    if not any([hmac.compare_digest(webhook_signature(body, timestamp, one), signature) for one in secrets]):
        raise WebhookVerificationError("signature_mismatch", "the signature does not match the body")
    # After the signature: an unsigned timestamp proves nothing, and `is_genuine` must be reliable.
    ahead = int(timestamp) - now()
    if ahead < -tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_old", f"signed {-ahead:.0f} s ago")
    if ahead > tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_new", f"signed for {ahead:.0f} s from now")
    return _parse_event(body)


def webhook_signature(raw_body: RawBody, timestamp: str, secret: str) -> str:
    """`sha256=<hex>`, the value of `X-Service-Signature`, for tests of a receiver."""
    signed = timestamp.encode() + b"." + _bytes_of(raw_body)
    return f"sha256={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def _secrets_of(secret: Union[str, Sequence[str]]) -> List[str]:
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(one, str) and one and one.strip() == one for one in secrets):
        raise ValueError("the secret must be a text, or several, without white space around it")
    return secrets


def _bytes_of(raw_body: RawBody) -> bytes:
    if isinstance(raw_body, (bytes, bytearray, memoryview, str)):
        return raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    raise TypeError("the body must be the raw bytes of the request, or their text; it was parsed already")


def _header(headers: WebhookHeaders, name: str, pattern: str) -> re.Match[str]:
    """
    A repeated header is refused, because two programs might read different values. Some frameworks join them, which matches
    no pattern. The error names only the header: with its value a forged request could write into the log.
    """
    values = [value for key, value in headers.items() if key.lower() == name.lower() and value is not None]
    if not values:
        raise WebhookVerificationError("missing_header", f"the header {name} is missing")
    match = re.fullmatch(pattern, values[0]) if len(values) == 1 and isinstance(values[0], str) else None
    if not match:
        raise WebhookVerificationError("malformed_header", f"the header {name} is malformed")
    return match


def _parse_event(body: bytes) -> WebhookEvent:
    try:
        event: Any = json.loads(body.decode())
        if all(isinstance(event[key], str) for key in ("event", "delivery_id", "occurred_at")):
            return event
    except (ValueError, TypeError, LookupError):
        pass
    raise WebhookVerificationError("malformed_body", "the body is not an event")
