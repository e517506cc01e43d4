from __future__ import annotations

from typing import Any, Optional

import httpx

UNKNOWN = "unknown_error"
TEMPORARY = (429, 502, 503, 504)


class HeraldError(Exception):
    """The service refused the request."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        retryable: bool,
        docs_url: Optional[str],
        retry_after: Optional[float],
        request_id: Optional[str],
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        """The code of the error catalogue; `unknown_error` if the response does not come from Herald, as of a proxy."""
        self.retryable = retryable
        """Whether the same request can succeed later."""
        self.docs_url = docs_url
        """The page that describes the code."""
        self.retry_after = retry_after
        """The service's Retry-After, in seconds."""
        self.request_id = request_id
        """Names the request in the service's log."""


class HeraldConnectionError(Exception):
    """The service could not be reached, or did not respond in time. The request may have been carried out."""


def error_of(response: httpx.Response) -> HeraldError:
    """The error of a response; whatever stands between the client and Herald may have sent it."""
    envelope = _envelope(response)
    is_envelope = isinstance(envelope.get("code"), str)
    return HeraldError(
        envelope.get("error") if is_envelope else f"The service returned {response.status_code}.",
        status=response.status_code,
        code=envelope["code"] if is_envelope else UNKNOWN,
        retryable=envelope.get("retryable") is True if is_envelope else response.status_code in TEMPORARY,
        docs_url=envelope.get("docs_url"),
        retry_after=_seconds(response.headers.get("retry-after")),
        request_id=response.headers.get("x-request-id"),
    )


def _envelope(response: httpx.Response) -> Any:
    try:
        value = response.json()
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(value: Optional[str]) -> Optional[float]:
    return float(value) if value is not None and value.isdigit() else None
