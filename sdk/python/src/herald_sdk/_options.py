from __future__ import annotations

from typing import Any, Dict, TypedDict
from urllib.parse import quote


class Omit:
    """The value of an argument that is not sent; None is sent as null."""

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT = Omit()


class RequestOptions(TypedDict, total=False):
    headers: Dict[str, str]
    timeout: float
    """The time limit of one attempt, in seconds."""
    max_retries: int


def given(arguments: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in arguments.items() if not isinstance(value, Omit)}


def path_of(value: str) -> str:
    """A path parameter, encoded; a value that would lead to another path is refused."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"An id in the path must be a text that is not empty, not {value!r}.")
    return quote(value, safe="")
