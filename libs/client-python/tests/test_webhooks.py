from __future__ import annotations

import json
import math
import time
import unittest
from email.message import Message
from typing import Any, Dict

import httpx
from whereabouts import WebhookVerificationError, is_asset_moved, verify_webhook, webhook_signature

SECRET = "whsec_test"
TIMESTAMP = "1753452192"
BODY = '{"a":1}'
SIGNATURE = "sha256=d9a5a690a7b324dc43a07dcefcbf7274464107255792917d25cf423d84c3f1bc"
GOOD = {"x-service-timestamp": TIMESTAMP, "x-service-signature": SIGNATURE}
EVENT = {
    "event": "asset.moved",
    "delivery_id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77",
    "occurred_at": "2025-07-25T14:03:12.345Z",
    "data": {
        "asset": {"id": 4503599627370497, "external_key": "FORKLIFT-7", "name": "Gabelstapler № 7"},
        "from_location": None,
        "to_location": {"id": 4503599627370513, "name": "Dock 1"},
    },
}
EVENT_BODY = json.dumps(EVENT, ensure_ascii=False)


def signed(body: Any, secret: str = SECRET, timestamp: str = TIMESTAMP) -> Dict[str, Any]:
    return {"x-service-timestamp": timestamp, "x-service-signature": webhook_signature(body, timestamp, secret)}


def verify(body: Any, headers: Any, secret: Any = SECRET, age: float = 0, **options: Any) -> Any:
    return verify_webhook(body, headers, secret, now=lambda: int(TIMESTAMP) + age, **options)


class TestVerifyWebhook(unittest.TestCase):
    def refusal(self, *request: Any, **options: Any) -> str:
        with self.assertRaises(WebhookVerificationError) as caught:
            verify(*request, **options)
        return caught.exception.code

    def assert_genuine(self, body: Any, headers: Any = GOOD, **options: Any) -> None:
        """The known body is not an event, which is checked last."""
        self.assertEqual(self.refusal(body, headers, **options), "malformed_body")

    def test_computes_and_accepts_the_known_vector(self) -> None:
        self.assertEqual(webhook_signature(BODY, TIMESTAMP, SECRET), SIGNATURE)
        for body in (BODY, BODY.encode(), bytearray(BODY.encode()), memoryview(f"0{BODY}0".encode())[1:-1]):
            self.assert_genuine(body)
            wrong = {**GOOD, "x-service-signature": f"sha256={'0' * 64}"}
            self.assertEqual(self.refusal(body, wrong), "signature_mismatch")
        self.assert_genuine(b"\xff\x00\xfe", signed(b"\xff\x00\xfe"))

    def test_refuses_the_same_value_in_another_notation(self) -> None:
        for body in ('{"a": 1}', '{"a":1}\n', '{"a":1.0}', ""):
            self.assertEqual(self.refusal(body, GOOD), "signature_mismatch")

    def test_refuses_any_flipped_bit(self) -> None:
        for part in ("body", "timestamp", "signature", "secret"):
            good = {"body": EVENT_BODY, "timestamp": TIMESTAMP, "secret": SECRET}
            good["signature"] = webhook_signature(EVENT_BODY, TIMESTAMP, SECRET)
            content = good[part].encode()
            for bit in range(len(content) * 8):
                flipped = bytearray(content)
                flipped[bit >> 3] ^= 1 << (bit & 7)
                one: Dict[str, Any] = {**good, part: bytes(flipped) if part == "body" else flipped.decode("latin-1")}
                headers = {"x-service-timestamp": one["timestamp"], "x-service-signature": one["signature"]}
                with self.assertRaises((WebhookVerificationError, ValueError), msg=f"{part}, bit {bit}"):
                    verify(one["body"], headers, one["secret"], tolerance_seconds=math.inf)

    def test_takes_the_headers_of_frameworks_in_any_case(self) -> None:
        headers = signed(EVENT_BODY)
        message = Message()
        for name, value in headers.items():
            message[name.title()] = value
        for each in (headers, {name.upper(): value for name, value in headers.items()}, httpx.Headers(headers), message):
            self.assertEqual(verify(EVENT_BODY, each), EVENT)

    def test_refuses_missing_and_malformed_headers(self) -> None:
        digest = SIGNATURE[len("sha256=") :]
        time_, signature = "x-service-timestamp", "x-service-signature"
        for headers, code in (
            ({signature: SIGNATURE}, "missing_header"),
            ({time_: TIMESTAMP}, "missing_header"),
            ({**GOOD, signature: None}, "missing_header"),
            ({**GOOD, signature: [SIGNATURE]}, "malformed_header"),
            ({**GOOD, "X-Service-Timestamp": TIMESTAMP}, "malformed_header"),
            (httpx.Headers([*GOOD.items(), (signature, SIGNATURE)]), "malformed_header"),
            ({**GOOD, signature: digest}, "malformed_header"),
            ({**GOOD, signature: f"sha1={digest[24:]}"}, "unknown_scheme"),
            ({**GOOD, signature: f"SHA256={digest}"}, "malformed_header"),
            ({**GOOD, signature: f"sha256={digest[2:]}"}, "malformed_header"),
            ({**GOOD, signature: f"sha256={digest}00"}, "malformed_header"),
            ({**GOOD, signature: f"{SIGNATURE}\n"}, "malformed_header"),
            ({**GOOD, signature: "sha256="}, "malformed_header"),
            ({**GOOD, signature: f"sha256={digest.upper()}"}, "malformed_header"),
            ({**GOOD, time_: f"+{TIMESTAMP}"}, "malformed_header"),
            ({**GOOD, time_: f"{TIMESTAMP}.0"}, "malformed_header"),
            ({**GOOD, time_: f"0{TIMESTAMP}"}, "malformed_header"),
            ({**GOOD, time_: f"{TIMESTAMP}\n"}, "malformed_header"),
            ({**GOOD, time_: "١٧٥٣٤٥٢١٩٢"}, "malformed_header"),
            ({**GOOD, time_: ""}, "malformed_header"),
        ):
            self.assertEqual(self.refusal(BODY, headers), code, headers)

    def test_quotes_no_header_in_the_error_which_may_be_logged(self) -> None:
        hostile = {**GOOD, "x-service-signature": "sha256=\x1b[31mfake log line"}
        with self.assertRaisesRegex(WebhookVerificationError, "^the header X-Service-Signature is malformed$"):
            verify(BODY, hostile)

    def test_tolerates_some_seconds(self) -> None:
        self.assert_genuine(BODY, age=300)
        self.assert_genuine(BODY, age=-300)
        self.assertEqual(self.refusal(BODY, GOOD, age=301), "timestamp_too_old")
        self.assertEqual(self.refusal(BODY, GOOD, age=-301), "timestamp_too_new")
        for tolerance, age in ((86_700, 86_700), (0, 0), (math.inf, 1e9)):
            self.assert_genuine(BODY, age=age, tolerance_seconds=tolerance)
        for tolerance, age in ((86_700, 86_701), (0, 1)):
            self.assertEqual(self.refusal(BODY, GOOD, age=age, tolerance_seconds=tolerance), "timestamp_too_old")

    def test_compares_with_the_clock_of_this_machine(self) -> None:
        with self.assertRaisesRegex(WebhookVerificationError, "signed [0-9]+ s ago"):
            verify_webhook(BODY, GOOD, SECRET)
        self.assertEqual(verify_webhook(EVENT_BODY, signed(EVENT_BODY, timestamp=str(int(time.time()))), SECRET), EVENT)

    def test_tells_late_from_forged(self) -> None:
        forged = {**GOOD, "x-service-signature": f"sha256={'0' * 64}"}
        for headers, is_genuine in ((GOOD, True), (forged, False)):
            with self.assertRaises(WebhookVerificationError) as caught:
                verify(BODY, headers, age=1_000)
            self.assertEqual(caught.exception.is_genuine, is_genuine)

    def test_takes_several_secrets(self) -> None:
        secrets = ["whsec_older", "whsec_newer"]
        for secret in secrets:
            self.assertEqual(verify(EVENT_BODY, signed(EVENT_BODY, secret), secrets), EVENT)
        self.assertEqual(self.refusal(EVENT_BODY, signed(EVENT_BODY), secrets), "signature_mismatch")

    def test_raises_other_errors_for_mistakes_of_the_calling_program(self) -> None:
        for secret in ("", [], ["whsec_a", ""], "whsec_a\n", b"whsec_a", None):
            with self.assertRaises((TypeError, ValueError), msg=secret):
                verify(EVENT_BODY, signed(EVENT_BODY), secret)
        with self.assertRaisesRegex(TypeError, "parsed already"):
            verify(EVENT, signed(EVENT_BODY))
        for tolerance in (math.nan, -1):
            with self.assertRaises(ValueError):
                verify(EVENT_BODY, signed(EVENT_BODY), tolerance_seconds=tolerance)

    def test_returns_events_of_later_versions_too(self) -> None:
        later = {**EVENT, "event": "asset.rested", "data": {"rest": 7}, "sequence": 3}
        event = verify(json.dumps(later), signed(json.dumps(later)))
        self.assertEqual(event, later)
        self.assertEqual([is_asset_moved(EVENT), is_asset_moved(event)], [True, False])  # type: ignore[arg-type]

    def test_refuses_a_signed_body_that_is_not_an_event(self) -> None:
        for body in (BODY, "", "null", "[]", '"x"', "{", '{"event":1,"delivery_id":"a","occurred_at":"b"}'):
            self.assertEqual(self.refusal(body, signed(body)), "malformed_body")


if __name__ == "__main__":
    unittest.main()
