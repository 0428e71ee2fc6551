"""Receives signed postbacks. Python 3.9 or later: PORT=9000 WEBHOOK_SECRET=whsec_… python3 receiver.py"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 5 * 60
MAX_BODY_BYTES = 1024 * 1024

KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
if not KEY:
    # With an empty key, anyone could sign.
    sys.exit("Set WEBHOOK_SECRET to the signing secret of the webhook.")

# Replace both with a unique column in your database, written in the transaction that stores the message.
handled = set()
lock = threading.Lock()


def handle(message_id, body):
    """Put your code here. If it fails, the message is sent again. So add the id last."""
    with lock:
        if message_id in handled:
            return
        print("received", message_id, json.loads(body)["subtopic"], flush=True)
        handled.add(message_id)


def is_genuine(message_id, timestamp, signatures, body):
    """Whether one of the signatures is that of the body, and the request is recent."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures.split(" "))


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds of silence, after which a sender is disconnected

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            self.respond(413)
            # With unread data, the system would reset the connection, and the sender might lose the response.
            self.rfile.read(max(0, min(length, 2 * MAX_BODY_BYTES)))
            return
        body = self.rfile.read(length)
        message_id = self.headers.get("webhook-id", "")
        timestamp = self.headers.get("webhook-timestamp", "")
        if not is_genuine(message_id, timestamp, self.headers.get("webhook-signature", ""), body):
            return self.respond(401)
        if self.headers.get("webhook-test") == "true":
            # Its data is made up.
            print("test", message_id, flush=True)
            return self.respond(204)
        try:
            handle(message_id, body)
        except Exception:
            traceback.print_exc()
            return self.respond(500)
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
