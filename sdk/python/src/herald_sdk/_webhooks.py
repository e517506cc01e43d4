from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Callable, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast

from ._event import HasEvent
from ._generated import types

KEY_BYTES = 32
"""The bytes of every secret that Herald makes; less would be easy to guess."""

VerificationFailure = Literal["missing_header", "malformed_header", "no_match", "outside_tolerance"]
Body = Union[bytes, bytearray, str]
Headers = Mapping[str, str]
Secrets = Union[str, Sequence[str]]


class WebhookVerificationError(Exception):
    """The request is not a genuine delivery: respond with 400 and do nothing with it."""

    def __init__(self, reason: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class VerifiedWebhook(HasEvent):
    body: types.WebhookEvent
    """`body["event"]` says which type `body["data"]` has."""
    delivery_id: str
    """The same for every attempt of a delivery: handle each id once."""
    timestamp: int
    """The Unix time of this attempt, in seconds."""
    test: bool
    """A test event: its data is a sample."""


def verify_webhook(
    raw_body: Body, headers: Headers, secret: Secrets, *, tolerance: Optional[float] = None
) -> VerifiedWebhook:
    """Checks that a request comes from Herald and returns its event, or raises WebhookVerificationError.

    `raw_body` is the body as received, before anything parsed it; `headers` are those of the request. Of several secrets
    one must match. `tolerance` refuses signatures that are older or newer than so many seconds; by default there is no
    limit: deduplicate by delivery id instead.
    """
    timestamp = verify_signature(raw_body, headers, secret, tolerance=tolerance)
    return VerifiedWebhook(
        body=cast(types.WebhookEvent, json.loads(raw_body)),
        delivery_id=_header(headers, "x-service-delivery-id") or _header(headers, "webhook-id") or "",
        timestamp=timestamp,
        test=_header(headers, "x-service-test") == "true",
    )


def is_valid_webhook(
    raw_body: Body, headers: Union[Headers, str, None], secret: Secrets, *, tolerance: Optional[float] = None
) -> bool:
    """Whether a request comes from Herald. Mistakes of the receiver's own code still raise."""
    try:
        verify_signature(raw_body, headers, secret, tolerance=tolerance)
        return True
    except WebhookVerificationError:
        return False


def verify_signature(
    raw_body: Body, headers: Union[Headers, str, None], secret: Secrets, *, tolerance: Optional[float] = None
) -> int:
    """Returns the time of the signature, or raises WebhookVerificationError.

    Takes the value of X-Service-Signature, or all headers of the request: then X-Service-Signature is checked, or the
    headers of Standard Webhooks where it is missing. Mistakes of the receiver's own code (no secret, a parsed body) raise
    TypeError instead: they deserve a 500, so that the delivery comes again.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(each, str) and each for each in secrets):
        raise TypeError("The endpoint's secret is missing or empty.")
    if not isinstance(raw_body, (bytes, bytearray, str)):
        raise TypeError("The body must be the raw text or bytes as received, not a parsed object.")
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    if headers is None or isinstance(headers, str):
        signed = _parse(headers)
    else:
        own = _header(headers, "x-service-signature")
        signed = _parse(own) if own else _parse_standard(headers)
    t, candidates, expect = signed

    # Every pair is compared, so that the time taken says nothing about which one matched.
    matched = False
    for each in secrets:
        expected = expect(body, each)
        for candidate in candidates:
            matched = hmac.compare_digest(candidate, expected) or matched
    if not matched:
        raise WebhookVerificationError(
            "no_match", "No v1 signature matches: wrong secret, or the body is not byte for byte the one received."
        )
    if tolerance is not None and abs(time.time() - int(t)) > tolerance:
        raise WebhookVerificationError(
            "outside_tolerance", f"The signature's time is more than {tolerance} seconds away from now."
        )
    return int(t)


_Signed = Tuple[str, List[bytes], Callable[[bytes, str], bytes]]


def _parse(header: Optional[str]) -> _Signed:
    if header is None or not header.strip():
        raise WebhookVerificationError("missing_header", "The request has no X-Service-Signature header.")
    pairs = [item.strip().partition("=")[::2] for item in header.split(",")]
    times = [value for key, value in pairs if key == "t"]
    candidates = [value.encode() for key, value in pairs if key == "v1"]
    if len(times) != 1 or not _is_time(times[0]) or not candidates:
        raise WebhookVerificationError(
            "malformed_header", "X-Service-Signature must have the form t=<seconds>,v1=<hex>."
        )
    t = times[0]

    def expect(body: bytes, secret: str) -> bytes:
        return hmac.new(secret.encode(), f"{t}.".encode() + body, hashlib.sha256).hexdigest().encode()

    return t, candidates, expect


def _parse_standard(headers: Headers) -> _Signed:
    id, t, signatures = (_header(headers, f"webhook-{part}") for part in ("id", "timestamp", "signature"))
    if not id or not t or not signatures:
        raise WebhookVerificationError(
            "missing_header",
            "The request has neither X-Service-Signature nor webhook-id, webhook-timestamp and webhook-signature.",
        )
    candidates = [part[len("v1,") :].encode() for part in signatures.split(" ") if part.startswith("v1,")]
    if not _is_time(t) or not candidates:
        raise WebhookVerificationError(
            "malformed_header", "webhook-timestamp must be seconds, webhook-signature a list of v1,<base64>."
        )

    def expect(body: bytes, secret: str) -> bytes:
        digest = hmac.new(_key_of(secret), f"{id}.{t}.".encode() + body, hashlib.sha256).digest()
        return base64.b64encode(digest)

    return t, candidates, expect


def _is_time(value: str) -> bool:
    return re.fullmatch(r"[0-9]{1,15}", value) is not None


def _key_of(secret: str) -> bytes:
    """The bytes that a secret stands for."""
    encoded = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(encoded)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise TypeError("The secret must be whsec_ and 32 bytes in base64.")
    return key


def _header(headers: Headers, name: str) -> Optional[str]:
    """A header, by its name in lower case."""
    return next((value for key, value in headers.items() if key.lower() == name), None)
