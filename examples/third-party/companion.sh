#!/usr/bin/env bash
# Reads usage, notes and a spreadsheet, as a clinic's system would. With --upload, it also writes: a log of a device of its
# own, and a note. Needs only curl. COMPANION_URL, COMPANION_EMAIL and COMPANION_PASSWORD say where and who.
# Usage: companion.sh [--upload UNIQUE_ID] [DATE]
set -euo pipefail

url=${COMPANION_URL:-http://127.0.0.1:3000}
own=''
if [[ ${1-} == --upload ]]; then
  own=${2-} && shift
  [[ $own ]] || { echo '--upload needs the unique_id of a device of your own' >&2 && exit 1; }
  shift
fi
today=${1:-$(date +%F)}
download=$(mktemp)
trap 'rm -f "$download"' EXIT

# send PATH [BODY [OPTION...]] passes body and options to curl. It sets status (000 without a complete answer), answer and
# disposition. It repeats any request after 429, because the service has done nothing. After 5xx or without a complete
# answer, it repeats only requests that do no harm when executed twice: those without a body, or with repeatable=yes.
send() {
  local pause output code wait reason
  for pause in 0.5 1 2 4 ''; do
    # Pipes keep body and token out of the list of processes.
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

# Sends a request of the account, and renews the access token when its 15 minutes are over. A refresh token works once.
# With the key, the renewal may be repeated if its answer is lost.
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

# expect STATUS COMMAND...: any other status ends the script and shows the answer of the service.
expect() {
  "${@:2}"
  [[ $status =~ ^($1)$ ]] || fail "${3%%\?*}: $status ${answer:-$(<"$download")}"
}
fail() { echo "$1" >&2 && exit 1; }

# Prints the first value of that name in the answer. Outside an example, use jq.
field() {
  local pattern="\"$1\":\"?([^\",}]*)"
  [[ $answer =~ $pattern ]] && echo "${BASH_REMATCH[1]}"
}

# Signing in twice does no more harm than once: it ends the session of the parent's phone.
repeatable=yes expect 200 send /api/v1/alpha/auth/email/signin "$COMPANION_PASSWORD" \
  --data-urlencode "username=$COMPANION_EMAIL" --data-urlencode password@-
keep_tokens

expect 200 as_account /api/v1/beta/device
# A device whose child another account shares comes without `unique_id`.
answer=$(grep -o "{[^}]*\"unique_id\":\"$own[^}]*}" <<<"$answer" | head -n 1) || true
child=$(field real_user_id) || fail "The account has no device $own"
unique_id=$(field unique_id)

# Devices send no token. A log may be sent any number of times.
[[ ! $own ]] || repeatable=yes expect 200 send /api/v1/gamma/device/devlog "[{
  \"unique_id\": \"$unique_id\",
  \"detail_data\": {
    \"treatment_date\": \"${today}T06:30:00\", \"finish_flag\": \"1\", \"last_intensity\": 9, \"treatment_time\": 1200
  },
  \"intensity_record\": [{\"intensity\": 3}, {\"intensity\": 9}],
  \"log_file_id\": 1
}]" --json @-

expect 200 as_account "/api/v1/beta/chart/recent?real_user_id=$child&select_mode=0&current_date=$today"
chart=$answer

# The notes of a day replace those saved before.
[[ ! $own ]] || repeatable=yes expect 200 as_account /api/v1/beta/event "{
  \"real_user_id\": $child, \"created_at\": \"$today\", \"memo\": \"Slept well\", \"event_data\": {\"hospital\": [\"Clinic\"]}
}" --json @-
expect 200 as_account "/api/v1/beta/event?real_user_id=$child&event_date=$today"
memo=$(field memo)
treatments=$({ grep -o '"treatment_date"' <<<"$answer" || true; } | wc -l)

# Use the file name that the service sends.
expect '200|404' send "/api/v1/gamma/device/export?unique_id=$unique_id&start_date=$today&end_date=$today" '' \
  --output "$download"
file=null
if [[ $status == 200 ]]; then
  file=\"$(sed -E 's/.*filename="?([^";]+).*/\1/' <<<"$disposition")\"
  cat "$download" >"${file//\"/}"
fi

expect 404 as_account /api/v1/beta/user/real-user/2000000000
refused=$(field detail)

# No sign-out: it would also end the access tokens of the parent's phone. The tokens are forgotten.
printf '{"chart":%s,"memo":"%s","treatments":%s,"file":%s,"refused":"%s"}\n' \
  "$chart" "$memo" "$treatments" "$file" "$refused"
