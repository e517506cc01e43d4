"""As client.ts, with the synchronous client and, for lists and waiting, the asynchronous one."""

import asyncio
import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from herald_sdk import AsyncHerald, Herald, HeraldError, WebhookVerificationError, verify_webhook


EVENTS = "otp.sent,auth.completed,otp.verified"
# A PNG of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def show(step, **facts):
    print(json.dumps({"step": step, **facts}), flush=True)


def log_in(herald: Herald) -> str:
    session = herald.auth.create_session(state="st-1")
    show("session", link=session["telegram_link"])
    login = herald.wait_for_session(session["session_id"], timeout=60)
    user = herald.auth.verify(code=login["code"])
    show("user", state=login["state"], first_name=user["first_name"])
    # At once after another poll the service returns 429 with Retry-After. A busy machine may let one of them come late.
    for _ in range(3):
        herald.auth.get_session_status(session["session_id"])
    show("polled", status=herald.auth.get_session_status(session["session_id"])["status"])
    return user["subscriber_id"]


def receive_webhook(herald: Herald) -> None:
    state = {"secret": "", "verified": None, "refused": []}
    received = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            state["verified"] = verify_webhook(body, self.headers, state["secret"])
            for changed, key in ((body + b" ", state["secret"]), (body, "whsec_" + "A" * 43 + "=")):
                try:
                    verify_webhook(changed, self.headers, key)
                except WebhookVerificationError as error:
                    state["refused"].append(error.reason)
            self.send_response(204)
            self.end_headers()
            received.set()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    endpoint = herald.webhooks.create(url=url, events=["auth.completed"])
    state["secret"] = endpoint["secret"]
    delivery_id = herald.webhooks.test(endpoint["id"], event="auth.completed")["delivery_id"]
    assert received.wait(60)
    webhook = state["verified"]
    show(
        "webhook",
        event=webhook.event,
        person=webhook.data["first_name"],
        test=webhook.test,
        sameDelivery=webhook.delivery_id == delivery_id,
        refused=state["refused"],
    )
    herald.webhooks.delete(endpoint["id"])
    server.shutdown()


def follow_events(herald: Herald) -> None:
    ids = []

    # What happened before the stream was open is not in it.
    def trigger():
        while not ids:
            herald.webhooks.trigger(event="otp.sent")
            time.sleep(0.3)
        show("following")

    triggering = threading.Thread(target=trigger)
    triggering.start()
    for streamed in herald.webhooks.stream(events=EVENTS):
        ids.append(streamed.event_id)
        # The stream can begin with the events of the earlier steps.
        if streamed.event == "auth.completed" and "\u2028" in streamed.data["first_name"]:
            name = streamed.data["first_name"]
            herald.webhooks.trigger(event="otp.verified")
        if streamed.event == "otp.verified":
            break
    triggering.join()
    asyncio.run(resume(ids[0], ids[1:]))
    typed = isinstance(streamed.data["purpose"], str) and streamed.test
    show("streamed", first=ids[0], ids=ids, last=streamed.event, typed=typed, codes=[ord(char) for char in name])


async def resume(last_event_id, expected) -> None:
    async with AsyncHerald() as herald:
        resumed = []
        stream = herald.webhooks.stream(events=EVENTS, last_event_id=last_event_id)
        async for streamed in stream:
            resumed.append(streamed.event_id)
            if len(resumed) == len(expected):
                break
        await stream.aclose()
        assert resumed == expected


async def paginate() -> None:
    async with AsyncHerald() as herald:
        for name in ("one", "two", "three", "four", "five"):
            await herald.subscribe_links.create(name=name)
        names = [link["name"] async for link in herald.subscribe_links.list_all(limit=2)]
        show("paginated", names=names)


with Herald() as herald:
    subscriber_id = log_in(herald)
    sent = herald.messages.send(subscriber_id=subscriber_id, text="Hello from the SDK")
    show("sent", sent=sent["sent"])
    receive_webhook(herald)
    follow_events(herald)
    asyncio.run(paginate())
    names = [link["name"] for link in herald.subscribe_links.list_all(limit=2)]
    assert len(names) == 5
    show("exported", hasSubscriber=subscriber_id in herald.exports.get_subscribers().text())
    brand = herald.project.update_logo(base64.b64decode(PIXEL), "image/png")["brand"]
    show("uploaded", hasLogo=brand["logo_path"] is not None)
    try:
        herald.subscribers.get("00000000-0000-4000-8000-000000000000")
    except HeraldError as error:
        show("refused", status=error.status, code=error.code, retryable=error.retryable)

try:
    Herald(api_key="hk_…")
except ValueError as error:
    show("no key", message=str(error))
