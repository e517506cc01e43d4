import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from herald_sdk import WebhookVerificationError, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            webhook = verify_webhook(body, self.headers, os.environ["HERALD_WEBHOOK_SECRET"])
        except WebhookVerificationError:
            self.respond(400, b"bad signature")
            return
        print(webhook.delivery_id, webhook.event, webhook.data, flush=True)
        self.respond(204)

    def respond(self, status, text=b""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 4500), Receiver).serve_forever()
