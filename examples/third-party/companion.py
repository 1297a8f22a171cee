"""Reads use and notes of a child with the parent's consent, as a clinic's system would.

With --upload, it also writes: a log of a device of its own, and a note. Needs only Python's standard library.
COMPANION_URL and COMPANION_CLIENT_ID say where and who. Usage: companion.py [--upload UNIQUE_ID] [DATE]
"""

import argparse
import base64
import datetime
import hashlib
import http.client
import http.server
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

CLIENT_ID = os.environ.get("COMPANION_CLIENT_ID", "demo-client")
URL = os.environ.get("COMPANION_URL", "http://127.0.0.1:3000")

options = argparse.ArgumentParser()
options.add_argument("date", nargs="?", default=datetime.date.today().isoformat())
options.add_argument("--upload", metavar="UNIQUE_ID", help="write too: a log of this device, and a note of its child")


class Failed(Exception):
    """A failed request. Status and detail are part of the interface; status 0 means that no complete answer came."""

    def __init__(self, path, status, detail, retry_after=""):
        super().__init__(f"{path}: {status or 'no answer'} {detail}")
        self.status = status
        self.detail = detail
        self.retry_after = int(retry_after) if retry_after.isdecimal() else 0


def once(method, path, *, query=None, body=None, form=None, token=None, headers=None):
    """Sends one request and gives up after 30 seconds of silence. Returns headers and bytes."""
    url = f"{URL}{path}?{urllib.parse.urlencode(query)}" if query else f"{URL}{path}"
    request = urllib.request.Request(url, method=method, headers=headers or {})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if form is not None:
        request.data = urllib.parse.urlencode(form).encode()
    elif body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            content = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise Failed(path, 0, error) from None
    if answer.status < 400:
        return answer.headers, content
    try:
        issue = json.loads(content)
        detail = issue["detail"] if "detail" in issue else issue["error"]  # OAuth has a form of its own.
    except (ValueError, TypeError, KeyError):  # The error page of a proxy.
        detail = answer.reason
    raise Failed(path, answer.status, detail, answer.headers.get("Retry-After", ""))


def send(method, path, *, repeatable=False, **options):
    """Sends a request up to five times. Repeats any request after 429, because the service has done nothing. After 5xx or
    without a complete answer, repeats only requests that do no harm when executed twice: reads, and those marked as
    repeatable."""
    for pause in (0.5, 1, 2, 4, None):
        try:
            return once(method, path, **options)
        except Failed as failed:
            harmless = repeatable or method == "GET"
            if pause is None or not (failed.status == 429 or harmless and not 0 < failed.status < 500):
                raise
            wait = failed.retry_after or pause
            print(f"{failed}, again in {wait} s", file=sys.stderr)
        time.sleep(wait)


def call(method, path, **options):
    """Sends a request and returns its JSON."""
    return json.loads(send(method, path, **options)[1])


def listen():
    """Opens a port of this machine for the answer of the browser (RFC 8252). A service on the web has an address."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            target = urllib.parse.urlsplit(self.path)
            if target.path == "/callback":
                self.server.answer = dict(urllib.parse.parse_qsl(target.query))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"You can close this page.")

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
    server.answer = None
    return server


class Connection:
    """What a parent has granted, for one thread. Renews the access token when its 15 minutes are over."""

    def __init__(self, scope):
        self.service = call("GET", "/.well-known/oauth-authorization-server")
        if self.service["issuer"] != URL:
            sys.exit(f"{URL} says that it is {self.service['issuer']}")
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        state = secrets.token_urlsafe(16)
        with listen() as server:
            redirect = f"http://127.0.0.1:{server.server_port}/callback"
            request = {
                "client_id": CLIENT_ID,
                "response_type": "code",
                "redirect_uri": redirect,
                "scope": scope,
                "state": state,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
            address = f"{self.service['authorization_endpoint']}?{urllib.parse.urlencode(request)}"
            print(f"Open {address}", file=sys.stderr, flush=True)
            while server.answer is None:
                server.handle_request()
            answer = server.answer
        if answer.get("state") != state or answer.get("iss") != self.service["issuer"]:
            sys.exit("The answer is not to this question")
        if "error" in answer:
            sys.exit(f"Refused: {answer['error']}")
        self.exchange(
            grant_type="authorization_code", code=answer["code"], redirect_uri=redirect, code_verifier=verifier
        )

    def exchange(self, **form):
        # A code and a refresh token work once: such a request is not repeated when its response is lost.
        self.tokens = call("POST", "/oauth/token", form={"client_id": CLIENT_ID, **form})

    def call(self, method, path, **options):
        try:
            return call(method, path, token=self.tokens["access_token"], **options)
        except Failed as failed:
            if (failed.status, failed.detail) != (401, "Token is expired"):
                raise
        self.exchange(grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
        return call(method, path, token=self.tokens["access_token"], **options)

    def disconnect(self):
        """Ends the grant, as the parent can do in the app."""
        form = {"client_id": CLIENT_ID, "token": self.tokens["refresh_token"]}
        send("POST", "/oauth/revoke", form=form, repeatable=True)


def changes_since(call, cursor=None):
    """Goes through the changes behind `cursor`, or through all that are kept (90 days), by `call`. Save `next` of a page once
    you have done your work with its items, and go on from there: the same cursor gives the same changes again. A cursor older
    than what is kept is refused with 410."""
    more = True
    while more:
        page = call("GET", "/api/v1/beta/changes", query={"after": cursor} if cursor else None)
        yield page
        # There may be more even if this page holds no items.
        cursor, more = page["next"], page["has_more"]


def upload(connection, child, unique_id, today):
    """Writes a log of the device and a note of the child."""
    # Devices send no token. A log may be sent any number of times.
    log = {
        "unique_id": unique_id,
        "detail_data": {
            "treatment_date": f"{today}T06:30:00",
            "finish_flag": "1",
            "last_intensity": 9,
            "treatment_time": 1200,
        },
        "intensity_record": [{"intensity": 3}, {"intensity": 9}],
        "log_file_id": 1,
    }
    call("POST", "/api/v1/gamma/device/devlog", body=[log], repeatable=True)

    # The notes of a day replace those saved before.
    event = {"created_at": today, "memo": "Slept well", "event_data": {"hospital": ["Clinic"]}}
    event["real_user_id"] = child
    connection.call("POST", "/api/v1/beta/event", body=event, repeatable=True)


def main():
    given = options.parse_args()
    today = given.date
    write = " notes:write" if given.upload else ""
    connection = Connection(f"child:read usage:read notes:read offline_access{write}")

    # The children that the parent has chosen, and no others.
    child = connection.call("GET", "/api/v1/beta/user/real-user")[0]
    if given.upload:
        upload(connection, child["id"], given.upload, today)

    query = {"real_user_id": child["id"], "select_mode": 0, "current_date": today}
    chart = connection.call("GET", "/api/v1/beta/chart/recent", query=query)

    query = {"real_user_id": child["id"], "event_date": today}
    memo = connection.call("GET", "/api/v1/beta/event", query=query)["memo"]

    query = {"real_user_id": child["id"], "start_date": today, "end_date": today}
    items = connection.call("GET", "/api/v1/beta/treatment", query=query)["items"]
    intensities = [[each["intensity"] for each in item["intensity_record"]] for item in items]

    try:
        connection.call("GET", "/api/v1/beta/chart/survey/analysis")  # Surveys were not asked for.
        refused = "not refused"
    except Failed as failed:
        if failed.status != 403:
            raise
        refused = failed.detail

    # What has changed since the parent has let this program in. A program that goes on asks again behind the last cursor.
    changes = [item["kind"] for page in changes_since(connection.call) for item in page["items"]]

    # A service that goes on reading keeps its tokens instead.
    connection.disconnect()
    result = {"child": child["first_name"], "chart": chart, "memo": memo}
    print(json.dumps({**result, "intensities": intensities, "refused": refused, "changes": changes}))


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(str(failed))
