"""Reads [{secret, headers, body}] from stdin and prints [true | false].

The argument names the verifier: `standardwebhooks`, the official package, or `standard library`, the steps of the
specification for machines on which the package cannot be installed.
"""

import base64
import hashlib
import hmac
import json
import sys

if sys.argv[1] == "standardwebhooks":
    from standardwebhooks import Webhook

    def is_valid(secret: str, headers: dict, body: str) -> bool:
        try:
            Webhook(secret).verify(body, headers)
            return True
        except Exception:
            return False

else:

    def is_valid(secret: str, headers: dict, body: str) -> bool:
        key = base64.b64decode(secret[len("whsec_") :], validate=True)
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        parts = [part.partition(",") for part in headers["webhook-signature"].split(" ")]
        return any(name == "v1" and hmac.compare_digest(value, expected) for name, _, value in parts)


requests = json.load(sys.stdin)
print(json.dumps([is_valid(**request) for request in requests]))
