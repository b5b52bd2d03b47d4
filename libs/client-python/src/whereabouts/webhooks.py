from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, Protocol, Sequence, Tuple, TypedDict, Union

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

    def __init__(self, code: str, message: str, is_genuine: Optional[bool] = None) -> None:
        super().__init__(code, message, is_genuine)  # its parameters, so that it can be pickled
        self.code = code

    def __str__(self) -> str:
        return str(self.args[1])

    @property
    def is_genuine(self) -> bool:
        """
        `X-Service-Signature` is correct and only the time of the event is not: a late delivery. If it is refused, further
        attempts with the same timestamp follow. So answer 2xx, change nothing, and read the report. False for an old
        `webhook-timestamp`, the time of the attempt: that is a forgery, or the clock of this machine is wrong.
        """
        return self.code.startswith("timestamp_") if self.args[2] is None else bool(self.args[2])


RawBody = Union[bytes, bytearray, memoryview, str]


def is_asset_moved(event: WebhookEvent) -> TypeGuard[AssetMovedEvent]:
    return event["event"] == "asset.moved"


def verify_webhook(
    raw_body: RawBody, headers: WebhookHeaders, secret: Union[str, Sequence[str]],
    *, tolerance_seconds: float = 300, now: Callable[[], float] = time.time,
) -> WebhookEvent:  # fmt: skip
    """
    Returns the event of a delivery, whose `webhook-signature` (Standard Webhooks) is correct; without that header, whose
    `X-Service-Signature` is. Raises WebhookVerificationError if the request is not a valid delivery. Raises TypeError or
    ValueError for a mistake of the calling program: no secret, one that is not of a webhook, a body that was parsed already,
    an invalid tolerance. Of several secrets any may match.

    `raw_body`: the unchanged bytes of the body, or their exact UTF-8 decoding. `tolerance_seconds`: how far the signed
    timestamp may be before or after now. `webhook-timestamp` is the time of the attempt. `X-Service-Timestamp` is that of the
    scan: if you verify by it alone and readers send late, use 86 700 (24 hours and 5 minutes). `now`: for tests.
    """
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds must be a number from 0")
    secrets, body = _secrets_of(secret), _bytes_of(raw_body)
    of_attempt = _is_present(headers, "webhook-signature") or not _is_present(headers, "X-Service-Signature")
    if of_attempt:
        signatures = _standard_signatures(headers)
        timestamp = _header(headers, "webhook-timestamp", _TIMESTAMP)[0]
        id = _header(headers, "webhook-id", r"[A-Za-z0-9_-]{1,128}")[0]
        expected = [standard_webhook_signature(body, id, timestamp, one) for one in secrets]
    else:
        timestamp = _header(headers, "X-Service-Timestamp", _TIMESTAMP)[0]
        signatures = [_signature(headers)]
        expected = [webhook_signature(body, timestamp, one) for one in secrets]
    # A list, which always compares all pairs, so that the time does not show what matches.
    if not any([hmac.compare_digest(one, signature) for one in expected for signature in signatures]):
        raise WebhookVerificationError("signature_mismatch", "the signature does not match the body")
    # After the signature: an unsigned timestamp proves nothing, and `is_genuine` must be reliable.
    ahead = int(timestamp) - now()
    if abs(ahead) > tolerance_seconds:
        code = "timestamp_too_old" if ahead < 0 else "timestamp_too_new"
        when = f"signed {-ahead:.0f} s ago" if ahead < 0 else f"signed for {ahead:.0f} s from now"
        why = ": a request that was sent again by others, or the clock of this machine is wrong" if of_attempt else ""
        raise WebhookVerificationError(code, f"{when}{why}", not of_attempt)
    return _parse_event(body)


def webhook_signature(raw_body: RawBody, timestamp: str, secret: str) -> str:
    """`sha256=<hex>`, the value of `X-Service-Signature`, for tests of a receiver."""
    signed = timestamp.encode() + b"." + _bytes_of(raw_body)
    return f"sha256={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def standard_webhook_signature(raw_body: RawBody, id: str, timestamp: str, secret: str) -> str:
    """`v1,<base64>`, the value of `webhook-signature`, for tests of a receiver."""
    signed = f"{id}.{timestamp}.".encode() + _bytes_of(raw_body)
    return f"v1,{base64.b64encode(hmac.new(_base64_key(secret), signed, hashlib.sha256).digest()).decode()}"


def _base64_key(secret: str) -> bytes:
    """What the text after `whsec_` means as base64. An empty key would accept what anyone signs."""
    text = re.sub("^whsec_", "", secret)
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("the secret must be whsec_ and base64, as it was shown when the webhook was created")
    return key


def _secrets_of(secret: Union[str, Sequence[str]]) -> List[str]:
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(one, str) and one and one.strip() == one for one in secrets):
        raise ValueError("the secret must be a text, or several, without white space around it")
    return secrets


def _bytes_of(raw_body: RawBody) -> bytes:
    if isinstance(raw_body, (bytes, bytearray, memoryview, str)):
        return raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    raise TypeError("the body must be the raw bytes of the request, or their text; it was parsed already")


_TIMESTAMP = r"0|[1-9][0-9]{0,11}"


def _signature(headers: WebhookHeaders) -> str:
    found = _header(headers, "X-Service-Signature", r"sha256=[0-9a-f]{64}|(?!sha256=)[a-z0-9-]{1,32}=[^=]*")[0]
    if not found.startswith("sha256="):
        raise WebhookVerificationError("unknown_scheme", "the signature is not of the scheme sha256")
    return found


def _standard_signatures(headers: WebhookHeaders) -> List[str]:
    """Several are separated by spaces, and those of other versions are passed over, as Standard Webhooks has it."""
    one = r"(?:v1,[A-Za-z0-9+/]{43}=|v(?!1,)[A-Za-z0-9_]{1,8},[!-+\--~]+)"
    ours = [each for each in _header(headers, "webhook-signature", f"{one}(?: {one})*")[0].split(" ") if each.startswith("v1,")]
    if not ours:
        raise WebhookVerificationError("unknown_scheme", "the signature is not of the scheme v1")
    return ours


def _values(headers: WebhookHeaders, name: str) -> List[Any]:
    return [value for key, value in headers.items() if key.lower() == name.lower() and value is not None]


def _is_present(headers: WebhookHeaders, name: str) -> bool:
    return bool(_values(headers, name))


def _header(headers: WebhookHeaders, name: str, pattern: str) -> re.Match[str]:
    """
    A repeated header is refused, because two programs might read different values. Some frameworks join them, which matches
    no pattern. The error names only the header: with its value a forged request could write into the log.
    """
    values = _values(headers, name)
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
