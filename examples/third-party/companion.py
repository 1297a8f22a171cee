"""Reads usage, notes and a spreadsheet, as a clinic's system would.

With --upload, it also writes: a log of a device of its own, and a note. Needs only Python's standard library.
COMPANION_URL, COMPANION_EMAIL and COMPANION_PASSWORD say where and who. Usage: companion.py [--upload UNIQUE_ID] [DATE]
"""

import argparse
import datetime
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

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
        detail = json.loads(content)["detail"]
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


class Account:
    """Sends requests of an account, for one thread. Renews the access token when its 15 minutes are over."""

    def __init__(self, username, password):
        # Signing in twice does no more harm than once: it ends the session of the parent's phone.
        form = {"username": username, "password": password}
        self.tokens = call("POST", "/api/v1/alpha/auth/email/signin", form=form, repeatable=True)

    def call(self, method, path, **options):
        try:
            return call(method, path, token=self.tokens["access_token"], **options)
        except Failed as failed:
            if (failed.status, failed.detail) != (401, "Token is expired"):
                raise
        # A refresh token works once. With the key, the request may be repeated if its answer is lost.
        self.tokens = call(
            "POST",
            "/api/v1/alpha/auth/refresh-token",
            headers={"Idempotency-Key": str(uuid.uuid4())},
            body={"refresh_token": self.tokens["refresh_token"]},
            repeatable=True,
        )
        return call(method, path, token=self.tokens["access_token"], **options)


def upload(account, device, today):
    """Writes a log of the device and a note of its child."""
    # Devices send no token. A log may be sent any number of times.
    log = {
        "unique_id": device["unique_id"],
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
    event["real_user_id"] = device["real_user_id"]
    account.call("POST", "/api/v1/beta/event", body=event, repeatable=True)


def spreadsheet(device, today):
    """Saves the spreadsheet of a day. Returns its name, or None if there is no log."""
    period = {"unique_id": device["unique_id"], "start_date": today, "end_date": today}
    try:
        headers, content = send("GET", "/api/v1/gamma/device/export", query=period)
    except Failed as failed:
        if failed.status != 404:
            raise
        return None
    name = re.search(r'filename="?([^";]+)', headers["Content-Disposition"])[1]
    with open(name, "wb") as file:
        file.write(content)
    return name


def main():
    given = options.parse_args()
    today = given.date
    account = Account(os.environ["COMPANION_EMAIL"], os.environ["COMPANION_PASSWORD"])

    # A device whose child another account shares comes without `unique_id`.
    devices = [device for device in account.call("GET", "/api/v1/beta/device") if "unique_id" in device]
    if given.upload:
        devices = [device for device in devices if device["unique_id"] == given.upload]
    if not devices:
        sys.exit(f"The account has no device {given.upload or ''}".rstrip())
    device = devices[0]
    child = device["real_user_id"]
    if given.upload:
        upload(account, device, today)

    query = {"real_user_id": child, "select_mode": 0, "current_date": today}
    chart = account.call("GET", "/api/v1/beta/chart/recent", query=query)

    day = account.call("GET", "/api/v1/beta/event", query={"real_user_id": child, "event_date": today})

    name = spreadsheet(device, today)

    try:
        account.call("GET", "/api/v1/beta/user/real-user/2000000000")
        refused = "not refused"
    except Failed as failed:
        if failed.status != 404:
            raise
        refused = failed.detail

    # No sign-out: it would also end the access tokens of the parent's phone. The tokens are forgotten.
    result = {"chart": chart, "memo": day["memo"], "treatments": len(day["treatment_data"])}
    print(json.dumps({**result, "file": name, "refused": refused}))


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(str(failed))
