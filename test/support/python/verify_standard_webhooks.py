"""Reads [{secret, headers, body}] from stdin and prints [true | false] with the name of the verifier used.

The verifier is the official package `standardwebhooks`, or, where it cannot be installed, the steps of the
specification with the standard library alone.
"""

import base64
import hashlib
import hmac
import json
import sys

try:
    from standardwebhooks import Webhook

    verifier = "standardwebhooks"

    def is_valid(secret: str, headers: dict, body: str) -> bool:
        try:
            Webhook(secret).verify(body, headers)
            return True
        except Exception:
            return False

except ImportError:
    verifier = "standard library"

    def is_valid(secret: str, headers: dict, body: str) -> bool:
        key = base64.b64decode(secret[len("whsec_") :], validate=True)
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        parts = [part.partition(",") for part in headers["webhook-signature"].split(" ")]
        return any(name == "v1" and hmac.compare_digest(value, expected) for name, _, value in parts)


requests = json.load(sys.stdin)
print(json.dumps({"verifier": verifier, "valid": [is_valid(**request) for request in requests]}))
