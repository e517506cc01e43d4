import hashlib
import hmac


def is_valid(body: bytes, header: str, secret: str) -> bool:
    """`body` is the raw request body, `header` the value of X-Service-Signature."""
    pairs = [item.strip().partition("=")[::2] for item in header.split(",")]
    timestamp = next((value for key, value in pairs if key == "t"), "")
    message = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest().encode()
    return any(key == "v1" and hmac.compare_digest(value.encode(), expected) for key, value in pairs)
