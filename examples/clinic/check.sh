#!/usr/bin/env bash
exec "$(dirname "$0")/../check-apps.sh" clinic
