#!/usr/bin/env bash
# Reads use and notes of a child with the parent's consent, as a clinic's system would. With --upload, it also writes: a log
# of a device of its own, and a note. Needs curl and openssl. COMPANION_URL and COMPANION_CLIENT_ID say where and who. It
# prints an address for the browser of the parent, and reads from its input the address where the browser ends.
# Usage: companion.sh [--upload UNIQUE_ID] [DATE]
set -euo pipefail

url=${COMPANION_URL:-http://127.0.0.1:3000}
client=${COMPANION_CLIENT_ID:-demo-client}
# Nothing listens there: a browser says so, and shows the address all the same.
redirect=http://127.0.0.1:8765/callback
own=''
if [[ ${1-} == --upload ]]; then
  own=${2-} && shift
  [[ $own ]] || { echo '--upload needs the unique_id of a device of your own' >&2 && exit 1; }
  shift
fi
today=${1:-$(date +%F)}

# send PATH [BODY [OPTION...]] passes body and options to curl. It sets status (000 without a complete answer) and answer.
# It repeats any request after 429, because the service has done nothing. After 5xx or without a complete answer, it
# repeats only requests that do no harm when executed twice: those without a body, or with repeatable=yes.
send() {
  local pause output code wait reason
  for pause in 0.5 1 2 4 ''; do
    # Pipes keep body and token out of the list of processes.
    output=$(printf %s "${2-}" | curl --silent --max-time 30 "$url$1" "${@:3}" \
      --header @<(printf %s "${token:+Authorization: Bearer $token}") \
      --write-out '\n%{exitcode}|%{http_code}|%header{retry-after}|%{errormsg}') || true
    answer=${output%$'\n'*}
    IFS='|' read -r code status wait reason <<<"${output##*$'\n'}"
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

# Sends a request with what the parent has granted, and renews the access token when its 15 minutes are over.
as_granted() {
  local token=$access_token
  send "$@"
  [[ $status == 401 && $answer == *'"Token is expired"'* ]] || return 0
  token=''
  exchange "grant_type=refresh_token&refresh_token=$refresh_token"
  token=$access_token
  send "$@"
}

# A code and a refresh token work once: such a request is not repeated when its answer is lost.
exchange() {
  expect 200 send /oauth/token "client_id=$client&$1" --data @-
  access_token=$(field access_token) refresh_token=$(field refresh_token)
}

# expect STATUS COMMAND...: any other status ends the script and shows the answer of the service.
expect() {
  "${@:2}"
  [[ $status == "$1" ]] || fail "${3%%\?*}: $status $answer"
}
fail() { echo "$1" >&2 && exit 1; }

# Prints the first value of that name in the answer. Outside an example, use jq.
field() {
  local pattern="\"$1\":\"?([^\",}]*)"
  [[ $answer =~ $pattern ]] && echo "${BASH_REMATCH[1]}"
}

# Prints a parameter of the address where the browser has ended.
parameter() {
  local value
  value=$(grep -o "[?&]$1=[^&]*" <<<"$ended" | head -n 1 | cut -d= -f2-) || true
  printf '%b' "${value//%/\\x}"
}

random() { openssl rand -base64 48 | tr '+/' '-_' | tr -d '\n'; }

expect 200 send /.well-known/oauth-authorization-server
[[ $(field issuer) == "$url" ]] || fail "$url says that it is $(field issuer)"
verifier=$(random)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
state=$(random)
scope=child:read%20usage:read%20notes:read%20offline_access${own:+%20notes:write}
echo "Open $url/oauth/authorize?client_id=$client&response_type=code&redirect_uri=$redirect&scope=$scope&state=$state&code_challenge=$challenge&code_challenge_method=S256" >&2
echo 'and paste the address where the browser ends:' >&2
read -r ended
[[ $(parameter state) == "$state" && $(parameter iss) == "$url" ]] || fail 'The answer is not to this question'
[[ $(parameter code) ]] || fail "Refused: $(parameter error)"
exchange "grant_type=authorization_code&code=$(parameter code)&redirect_uri=$redirect&code_verifier=$verifier"

# The children that the parent has chosen, and no others.
expect 200 as_granted /api/v1/beta/user/real-user
child=$(field id)
name=$(field first_name)

# Devices send no token. A log may be sent any number of times.
[[ ! $own ]] || repeatable=yes expect 200 send /api/v1/gamma/device/devlog "[{
  \"unique_id\": \"$own\",
  \"detail_data\": {
    \"treatment_date\": \"${today}T06:30:00\", \"finish_flag\": \"1\", \"last_intensity\": 9, \"treatment_time\": 1200
  },
  \"intensity_record\": [{\"intensity\": 3}, {\"intensity\": 9}],
  \"log_file_id\": 1
}]" --json @-

# The notes of a day replace those saved before.
[[ ! $own ]] || repeatable=yes expect 200 as_granted /api/v1/beta/event "{
  \"real_user_id\": $child, \"created_at\": \"$today\", \"memo\": \"Slept well\", \"event_data\": {\"hospital\": [\"Clinic\"]}
}" --json @-

expect 200 as_granted "/api/v1/beta/chart/recent?real_user_id=$child&select_mode=0&current_date=$today"
chart=$answer
expect 200 as_granted "/api/v1/beta/event?real_user_id=$child&event_date=$today"
memo=$(field memo)
expect 200 as_granted "/api/v1/beta/treatment?real_user_id=$child&start_date=$today&end_date=$today"
# The intensities of each record, as lists of numbers.
intensities=$({ grep -o '"intensity_record":\[[^]]*\]' <<<"$answer" || true; } |
  sed -E 's/"intensity_record"://; s/\{"intensity":([0-9]+)\}/\1/g' | paste -sd, -)

# Surveys were not asked for.
expect 403 as_granted /api/v1/beta/chart/survey/analysis
refused=$(field detail)

# What has changed since the parent has let this script in, 200 at a time. A script that goes on keeps the last cursor, and
# asks again behind it; after 410, changes behind it are no longer kept: read everything again.
changes='' after='' more=true
while [[ $more == true ]]; do
  expect 200 as_granted "/api/v1/beta/changes${after:+?after=$after}"
  changes+=$(grep -o '"kind":"[^"]*"' <<<"$answer" | sed 's/"kind"://; s/$/,/' | tr -d '\n') || true
  after=$(field next) more=$(field has_more)
done

# A script that goes on reading keeps its tokens instead.
repeatable=yes expect 200 send /oauth/revoke "client_id=$client&token=$refresh_token" --data @-
printf '{"child":"%s","chart":%s,"memo":"%s","intensities":[%s],"refused":"%s","changes":[%s]}\n' \
  "$name" "$chart" "$memo" "$intensities" "$refused" "${changes%,}"
