#!/usr/bin/env bash
# Brings a device's log to the service, and reads what a clinic's system would: usage, notes and a spreadsheet.
# curl alone. Usage: COMPANION_URL=... COMPANION_EMAIL=... COMPANION_PASSWORD=... companion.sh [DATE]
set -euo pipefail

url=${COMPANION_URL:-http://127.0.0.1:3000}
today=${1:-$(date +%F)}

# --fail-with-body: an error ends the script, and shows the status and the service's {"detail": ...}.
call() { curl --silent --show-error --fail-with-body --max-time 30 "$@"; }
# For calls that change nothing when repeated: again after no answer, or one that asks to come back later.
patiently() { call --retry 4 --retry-connrefused "$@"; }
# The value of a field, the last one of that name; for more than an example there is jq.
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/"; }

# The password comes from standard input, so that it is in no list of processes.
signed_in=$(printf %s "$COMPANION_PASSWORD" |
  call "$url/api/v1/alpha/auth/email/signin" \
    --data-urlencode "username=$COMPANION_EMAIL" --data-urlencode password@-)

# An access token lives 15 minutes. A refresh token works once; the key lets the call be repeated if its answer is lost.
renewed=$(printf '{"refresh_token":"%s"}' "$(field refresh_token <<<"$signed_in")" |
  patiently "$url/api/v1/alpha/auth/refresh-token" --json @- \
    --header "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')")

# Likewise the token.
as_account() { call --header @<(printf 'Authorization: Bearer %s' "$(field access_token <<<"$renewed")") "$@"; }

device=$(as_account "$url/api/v1/beta/device")
child=$(field real_user_id <<<"$device")
unique_id=$(field unique_id <<<"$device")

# Devices bring no token, and a log may be sent as often as needed.
patiently "$url/api/v1/gamma/device/devlog" --output /dev/null --json "[{
  \"unique_id\": \"$unique_id\",
  \"detail_data\": {
    \"treatment_date\": \"${today}T06:30:00\", \"finish_flag\": \"1\", \"last_intensity\": 9, \"treatment_time\": 1200
  },
  \"intensity_record\": [{\"intensity\": 3}, {\"intensity\": 9}],
  \"log_file_id\": 1
}]"

chart=$(as_account "$url/api/v1/beta/chart/recent?real_user_id=$child&select_mode=0&current_date=$today")

as_account "$url/api/v1/beta/event" --output /dev/null --json "{
  \"real_user_id\": $child, \"created_at\": \"$today\", \"memo\": \"Slept well\", \"event_data\": {\"hospital\": [\"Clinic\"]}
}"
day=$(as_account "$url/api/v1/beta/event?real_user_id=$child&event_date=$today")

# The file gets the name that the service gives it.
head=$(call --dump-header - --output download.xlsx \
  "$url/api/v1/gamma/device/export?unique_id=$unique_id&start_date=$today&end_date=$today")
file=$(tr -d '\r' <<<"$head" | sed -nE 's/^content-disposition:.*filename="?([^";]+).*/\1/Ip')
mv download.xlsx "$file"

refused=$(as_account "$url/api/v1/beta/user/real-user/2000000000" 2>/dev/null || true)

as_account "$url/api/v1/alpha/auth/signout" --request POST --output /dev/null
printf '{"chart":%s,"memo":"%s","treatments":%s,"file":"%s","refused":"%s"}\n' \
  "$chart" "$(field memo <<<"$day")" "$(grep -o '"treatment_date"' <<<"$day" | wc -l)" "$file" \
  "$(field detail <<<"$refused")"
