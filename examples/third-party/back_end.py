"""Follows the changes of all children whose parents have let this service in, as a hospital's back end would: a webhook
tells that there are some, and the feed tells which.

Prints a line of JSON for each page, with the cursor to go on from. Needs only Python's standard library, and the
COMPANION_CLIENT_ID and COMPANION_CLIENT_SECRET that the operator of the service has given. Ends by Ctrl-C.
Usage: back_end.py [CURSOR]
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import signal
import sys
import threading
import time
import urllib.parse

import companion

PORT = int(os.environ.get("WEBHOOK_PORT", "8766"))
# How far the time of a message may be from ours. An older one may be repeated by somebody who has recorded it.
TOLERANCE_SECONDS = 300
LONGEST_BODY = 10_000
MINUTE = 60


def is_signed(secret, headers, body):
    """Whether the owner of `secret` has signed this message not long ago (Standard Webhooks)."""
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    message = b".".join([headers.get("webhook-id", "").encode(), sent_at.encode(), body])
    expected = "v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
    # While a secret is being replaced, the old one and the new one sign.
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures)


class Receiver(http.server.ThreadingHTTPServer):
    """Listens for messages that there are changes. A message holds no data, so one that is lost or repeated does no harm.
    The service verifies an address before it tells the secret, so until then a challenge is repeated for anybody."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", PORT), Message)
        self.secret = None
        self.bell = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Message(http.server.BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            return self.reply(413)
        body = self.rfile.read(int(length))
        secret = self.server.secret
        if secret and not is_signed(secret, self.headers, body):
            return self.reply(401)
        try:
            message = json.loads(body)
            if message["type"] == "webhook.verify":
                return self.reply(200, json.dumps({"challenge": message["data"]["challenge"]}).encode())
        except (ValueError, TypeError, KeyError):
            return self.reply(400)
        if not secret:
            return self.reply(503)  # It comes again.
        self.server.bell.set()
        return self.reply(204)

    def reply(self, status, content=b""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class BackEnd:
    """Calls with tokens of its own, which stand for all that parents have granted to it, for 15 minutes each."""

    def __init__(self, client_id, secret):
        pair = ":".join(urllib.parse.quote(each, safe="") for each in (client_id, secret))
        self.basic = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        self.renew()

    def renew(self):
        form = {"grant_type": "client_credentials", "scope": "child:read usage:read"}
        self.token = companion.call("POST", "/oauth/token", form=form, headers=self.basic)["access_token"]

    def send(self, method, path, **options):
        try:
            return companion.send(method, path, token=self.token, **options)
        except companion.Failed as failed:
            if (failed.status, failed.detail) != (401, "Token is expired"):
                raise
        self.renew()
        return companion.send(method, path, token=self.token, **options)

    def call(self, method, path, **options):
        return json.loads(self.send(method, path, **options)[1])

    def unregister(self, url):
        """Tells the service no longer to send messages here; also those of a run that has crashed."""
        for webhook in self.call("GET", "/api/v1/beta/webhook"):
            if webhook["url"] == url:
                self.send("DELETE", f"/api/v1/beta/webhook/{webhook['webhook_id']}")

    def read_all(self):
        """Reads everything. Returns the cursor from which to go on, asked for first: what changes while we read comes
        behind it."""
        cursor = self.call("GET", "/api/v1/beta/changes", query={"after": "latest"})["next"]
        children = [child["id"] for child in self.call("GET", "/api/v1/beta/user/real-user")]
        show(children=children, cursor=cursor)
        return cursor

    def follow(self, cursor):
        """Shows what is new behind `cursor`. Returns the next one."""
        try:
            for page in companion.changes_since(self.call, cursor):
                if page["items"]:
                    show(changes=page["items"], cursor=page["next"])
                cursor = page["next"]
        except companion.Failed as failed:
            if failed.status != 410:
                raise
            # Changes older than 90 days are no longer kept, so whoever was away for so long reads everything again.
            return self.read_all()
        return cursor


def show(**line):
    print(json.dumps(line), flush=True)


def main():
    service = BackEnd(os.environ["COMPANION_CLIENT_ID"], os.environ["COMPANION_CLIENT_SECRET"])
    receiver = Receiver()
    # Over the internet: https, in front of this port.
    url = os.environ.get("WEBHOOK_URL", f"http://127.0.0.1:{receiver.server_port}/")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    service.unregister(url)
    try:
        webhook = service.call("POST", "/api/v1/beta/webhook", body={"url": url})
        receiver.secret = webhook["secret"]
        show(webhook=webhook["webhook_id"])
        cursor = sys.argv[1] if len(sys.argv) > 1 else service.read_all()
        while True:
            cursor = service.follow(cursor)
            receiver.bell.wait(MINUTE)
            receiver.bell.clear()
    except KeyboardInterrupt:
        pass
    finally:
        service.unregister(url)


if __name__ == "__main__":
    try:
        main()
    except companion.Failed as failed:
        sys.exit(str(failed))
