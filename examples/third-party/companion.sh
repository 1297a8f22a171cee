#!/usr/bin/env bash
# Brings a device's log to the service, and reads what a clinic's system would: usage, notes and a spreadsheet.
# curl alone. Usage: COMPANION_URL=... COMPANION_EMAIL=... COMPANION_PASSWORD=... companion.sh [DATE]
set -euo pipefail

url=${COMPANION_URL:-http://127.0.0.1:3000}
today=${1:-$(date +%F)}
download=$(mktemp)
trap 'rm -f "$download"' EXIT

# send PATH [BODY [OPTION...]] gives curl a body and options, and sets status (000 without a whole answer), answer and
# disposition. After 429 nothing was done, and it sends again; after 5xx or no whole answer only what does no harm when
# done twice: what has no body, and what is marked by repeatable=yes.
send() {
  local pause output code wait reason
  for pause in 0.5 1 2 4 ''; do
    # Body and token come by pipes, so that they are in no list of processes.
    output=$(printf %s "${2-}" | curl --silent --max-time 30 "$url$1" "${@:3}" \
      --header @<(printf %s "${token:+Authorization: Bearer $token}") \
      --write-out '\n%{exitcode}|%{http_code}|%header{retry-after}|%header{content-disposition}|%{errormsg}') || true
    answer=${output%$'\n'*}
    IFS='|' read -r code status wait disposition reason <<<"${output##*$'\n'}"
    [[ $code == 0 ]] || status=000 answer=$reason
    case $status in
      429) ;;
      000 | 5??) [[ -z ${2-} || ${repeatable-} ]] || return 0 ;;
      *) return 0 ;;
    esac
    [[ $pause ]] || return 0
    [[ $wait =~ ^[1-9][0-9]*$ ]] || wait=$pause
    echo "${1%%\?*}: $status${reason:+ $reason}, again in $wait s" >&2
    sleep "$wait"
  done
}

# The same in the account's name. An access token lives 15 minutes. A refresh token works once; the key lets the call be
# repeated if its answer is lost.
as_account() {
  local token=$access_token
  send "$@"
  [[ $status == 401 && $answer == *'"Token is expired"'* ]] || return 0
  token=''
  repeatable=yes expect 200 send /api/v1/alpha/auth/refresh-token "{\"refresh_token\":\"$refresh_token\"}" --json @- \
    --header "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  keep_tokens
  token=$access_token
  send "$@"
}
keep_tokens() { access_token=$(field access_token) refresh_token=$(field refresh_token); }

# expect STATUS COMMAND...: another status ends the script, and shows what the service says.
expect() {
  "${@:2}"
  [[ $status =~ ^($1)$ ]] || fail "${3%%\?*}: $status ${answer:-$(<"$download")}"
}
fail() { echo "$1" >&2 && exit 1; }

# The first value of that name in the answer; for more than an example there is jq.
field() {
  local pattern="\"$1\":\"?([^\",}]*)"
  [[ $answer =~ $pattern ]] && echo "${BASH_REMATCH[1]}"
}

# A sign-in takes the place of the one before.
repeatable=yes expect 200 send /api/v1/alpha/auth/email/signin "$COMPANION_PASSWORD" \
  --data-urlencode "username=$COMPANION_EMAIL" --data-urlencode password@-
keep_tokens

expect 200 as_account /api/v1/beta/device
child=$(field real_user_id) || fail 'The account has no device'
unique_id=$(field unique_id)

# Devices bring no token, and a log may be sent as often as needed.
repeatable=yes expect 200 send /api/v1/gamma/device/devlog "[{
  \"unique_id\": \"$unique_id\",
  \"detail_data\": {
    \"treatment_date\": \"${today}T06:30:00\", \"finish_flag\": \"1\", \"last_intensity\": 9, \"treatment_time\": 1200
  },
  \"intensity_record\": [{\"intensity\": 3}, {\"intensity\": 9}],
  \"log_file_id\": 1
}]" --json @-

expect 200 as_account "/api/v1/beta/chart/recent?real_user_id=$child&select_mode=0&current_date=$today"
chart=$answer

# A day's notes take the place of those before.
repeatable=yes expect 200 as_account /api/v1/beta/event "{
  \"real_user_id\": $child, \"created_at\": \"$today\", \"memo\": \"Slept well\", \"event_data\": {\"hospital\": [\"Clinic\"]}
}" --json @-
expect 200 as_account "/api/v1/beta/event?real_user_id=$child&event_date=$today"
memo=$(field memo)
treatments=$(grep -o '"treatment_date"' <<<"$answer" | wc -l)

# The file gets the name that the service gives it.
expect 200 send "/api/v1/gamma/device/export?unique_id=$unique_id&start_date=$today&end_date=$today" '' --output "$download"
file=$(sed -E 's/.*filename="?([^";]+).*/\1/' <<<"$disposition")
cat "$download" >"$file"

expect 404 as_account /api/v1/beta/user/real-user/2000000000
refused=$(field detail)

# A 401 says that a try before, whose answer was lost, has signed out.
repeatable=yes expect '200|401' as_account /api/v1/alpha/auth/signout '{}' --json @-
printf '{"chart":%s,"memo":"%s","treatments":%s,"file":"%s","refused":"%s"}\n' \
  "$chart" "$memo" "$treatments" "$file" "$refused"
