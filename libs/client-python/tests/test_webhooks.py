from __future__ import annotations

import json
import math
import pickle
import time
import unittest
from email.message import Message
from typing import Any, Dict

import httpx
from whereabouts import WebhookVerificationError, is_asset_moved, standard_webhook_signature, verify_webhook, webhook_signature

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


NOW = 1_795_600_000
OLDER, NEWER = (f"whsec_{digits * 4}" for digits in ("0123456789abcdef", "fedcba9876543210"))
ID = EVENT["delivery_id"]


def attempt(*, secrets: Any = (NEWER,), age: int = 0, scan_age: int = 0) -> Dict[str, Any]:
    """The headers of an attempt, with those of the scan, which may be days older."""
    timestamp, scan = str(NOW - age), str(NOW - scan_age)
    return {
        "webhook-id": ID,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(standard_webhook_signature(EVENT_BODY, str(ID), timestamp, one) for one in secrets),
        **signed(EVENT_BODY, NEWER, scan),
    }


class TestStandardWebhooks(unittest.TestCase):
    """D13.6"""

    def verdict(self, headers: Any, body: Any = EVENT_BODY, secret: Any = NEWER) -> Any:
        """The code of a refusal, or None."""
        try:
            self.assertEqual(verify_webhook(body, headers, secret, now=lambda: NOW), EVENT)
        except WebhookVerificationError as error:
            return error.code
        return None

    def test_computes_the_known_vector(self) -> None:
        vector = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        signature = standard_webhook_signature('{"test": 2432232314}', *vector)
        self.assertEqual(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

    def test_takes_what_is_sent_days_after_the_scan(self) -> None:
        for scan_age in (0, 3_600, 72 * 3_600, 7 * 86_400):
            headers = attempt(scan_age=scan_age)
            self.assertIsNone(self.verdict(headers))
            self.assertIsNone(self.verdict(httpx.Headers(headers)))
            self.assertIsNone(self.verdict({**headers, "x-service-signature": f"sha256={'0' * 64}"}))

    def test_refuses_what_is_wrong_also_if_the_other_signature_is_right(self) -> None:
        good = attempt()
        for body in (EVENT_BODY.replace("FORKLIFT-7", "FORKLIFT-8"), f"{EVENT_BODY} "):
            self.assertEqual(self.verdict(good, body), "signature_mismatch")
        self.assertEqual(self.verdict(attempt(secrets=[OLDER])), "signature_mismatch")
        for name in ("webhook-id", "webhook-timestamp"):
            changed = good[name][:-1] + ("2" if good[name].endswith("1") else "1")
            self.assertEqual(self.verdict({**good, name: changed}), "signature_mismatch")

    def test_takes_either_secret_after_a_rotation(self) -> None:
        both, other = attempt(secrets=[NEWER, OLDER]), f"whsec_{'00' * 32}"
        for secret in (OLDER, NEWER, [OLDER, NEWER], [NEWER, other]):
            self.assertIsNone(self.verdict(both, secret=secret))
        self.assertEqual(self.verdict(both, secret=other), "signature_mismatch")
        self.assertIsNone(self.verdict({**both, "webhook-signature": f"v2,abc v1a,x== {both['webhook-signature']}"}))

    def test_refuses_an_attempt_of_more_than_five_minutes_ago(self) -> None:
        for age in (300, -300):
            self.assertIsNone(self.verdict(attempt(age=age, scan_age=9_999)))
        self.assertEqual(self.verdict(attempt(age=301)), "timestamp_too_old")
        self.assertEqual(self.verdict(attempt(age=-301)), "timestamp_too_new")
        with self.assertRaisesRegex(WebhookVerificationError, "clock") as caught:
            verify_webhook(EVENT_BODY, attempt(age=301), NEWER, now=lambda: NOW)
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual([caught.exception.is_genuine, copy.is_genuine, copy.code], [False, False, "timestamp_too_old"])
        forged = {**attempt(age=301), "webhook-signature": f"v1,{'A' * 43}="}
        self.assertEqual(self.verdict(forged), "signature_mismatch")

    def test_refuses_other_forms(self) -> None:
        good = attempt()
        signature = good["webhook-signature"]
        for headers, code in (
            ({**good, "webhook-id": None}, "missing_header"),
            ({**good, "webhook-timestamp": None}, "missing_header"),
            ({}, "missing_header"),
            (httpx.Headers([*good.items(), ("webhook-signature", signature)]), "malformed_header"),
            ({**good, "Webhook-Signature": signature}, "malformed_header"),
            ({**good, "webhook-id": f"{ID}.1"}, "malformed_header"),
            ({**good, "webhook-timestamp": f"{NOW}.0"}, "malformed_header"),
            ({**good, "webhook-signature": ""}, "malformed_header"),
            ({**good, "webhook-signature": signature[3:]}, "malformed_header"),
            ({**good, "webhook-signature": signature[:-2]}, "malformed_header"),
            ({**good, "webhook-signature": f"{signature}\n"}, "malformed_header"),
            ({**good, "webhook-signature": f"v2{signature[2:]}"}, "unknown_scheme"),
        ):
            self.assertEqual(self.verdict(headers), code, headers)

    def test_raises_other_errors_for_a_secret_that_is_no_key(self) -> None:
        for secret in ("whsec_", "whsec_a", "whsec_not base64", "whsec_äöü"):
            with self.assertRaises(ValueError, msg=secret):
                verify_webhook(EVENT_BODY, attempt(), secret, now=lambda: NOW)


if __name__ == "__main__":
    unittest.main()
