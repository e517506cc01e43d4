"""Client for Herald: messenger login, webhooks and messages."""

from ._client import AsyncHerald, Herald
from ._errors import HeraldConnectionError, HeraldError
from ._file import AsyncHeraldFile, HeraldFile
from ._generated import types
from ._options import OMIT, RequestOptions
from ._stream import StreamedEvent
from ._webhooks import (
    VerifiedWebhook,
    WebhookVerificationError,
    is_valid_webhook,
    verify_signature,
    verify_webhook,
)

__all__ = [
    "OMIT",
    "AsyncHerald",
    "AsyncHeraldFile",
    "Herald",
    "HeraldConnectionError",
    "HeraldError",
    "HeraldFile",
    "RequestOptions",
    "StreamedEvent",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "is_valid_webhook",
    "types",
    "verify_signature",
    "verify_webhook",
]
