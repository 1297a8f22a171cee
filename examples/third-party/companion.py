"""Brings a device's log to the service, and reads what a clinic's system would: usage, notes and a spreadsheet.

Python's standard library alone. Usage: COMPANION_URL=... COMPANION_EMAIL=... COMPANION_PASSWORD=... companion.py [DATE]
"""

import datetime
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
TODAY = sys.argv[1] if len(sys.argv) > 1 else datetime.date.today().isoformat()


class Refused(Exception):
    """The service's answer to a call that it refuses: status and detail are part of the interface."""

    def __init__(self, status, detail):
        super().__init__(f"{status} {detail}")
        self.status = status
        self.detail = detail


def send(method, path, *, query=None, body=None, form=None, token=None, headers=None):
    """One call; answers the headers and the bytes."""
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
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.load(error)["detail"]) from None


def call(method, path, **options):
    """One call; answers its JSON."""
    return json.loads(send(method, path, **options)[1])


def patiently(method, path, **options):
    """For calls that change nothing when repeated: again after no answer, or one that asks to come back later."""
    for pause in (0.5, 1, 2, 4):
        try:
            return call(method, path, **options)
        except Refused as refused:
            if refused.status != 429 and refused.status < 500:
                raise
        except OSError:
            pass
        time.sleep(pause)
    return call(method, path, **options)


def main():
    credentials = {"username": os.environ["COMPANION_EMAIL"], "password": os.environ["COMPANION_PASSWORD"]}
    signed_in = call("POST", "/api/v1/alpha/auth/email/signin", form=credentials)

    # An access token lives 15 minutes. A refresh token works once; the key lets the call be repeated if its answer is
    # lost.
    token = patiently(
        "POST",
        "/api/v1/alpha/auth/refresh-token",
        headers={"Idempotency-Key": str(uuid.uuid4())},
        body={"refresh_token": signed_in["refresh_token"]},
    )["access_token"]

    device = call("GET", "/api/v1/beta/device", token=token)[0]
    child = device["real_user_id"]

    # Devices bring no token, and a log may be sent as often as needed.
    log = {
        "unique_id": device["unique_id"],
        "detail_data": {
            "treatment_date": f"{TODAY}T06:30:00",
            "finish_flag": "1",
            "last_intensity": 9,
            "treatment_time": 1200,
        },
        "intensity_record": [{"intensity": 3}, {"intensity": 9}],
        "log_file_id": 1,
    }
    patiently("POST", "/api/v1/gamma/device/devlog", body=[log])

    query = {"real_user_id": child, "select_mode": 0, "current_date": TODAY}
    chart = call("GET", "/api/v1/beta/chart/recent", token=token, query=query)

    event = {
        "real_user_id": child,
        "created_at": TODAY,
        "memo": "Slept well",
        "event_data": {"hospital": ["Clinic"]},
    }
    call("POST", "/api/v1/beta/event", token=token, body=event)
    day = call("GET", "/api/v1/beta/event", token=token, query={"real_user_id": child, "event_date": TODAY})

    period = {"unique_id": device["unique_id"], "start_date": TODAY, "end_date": TODAY}
    headers, content = send("GET", "/api/v1/gamma/device/export", query=period)
    name = re.search(r'filename="?([^";]+)', headers["Content-Disposition"])[1]
    with open(name, "wb") as file:
        file.write(content)

    try:
        call("GET", "/api/v1/beta/user/real-user/2000000000", token=token)
        refused = "not refused"
    except Refused as error:
        refused = error.detail

    call("POST", "/api/v1/alpha/auth/signout", token=token)
    result = {
        "chart": chart,
        "memo": day["memo"],
        "treatments": len(day["treatment_data"]),
        "file": name,
        "refused": refused,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
