#!/usr/bin/env bash
# Installs the servers that tests run against, where they are missing and this user may. What stays missing is
# named by the tests that need it.
set -uo pipefail

missing=()
[ -n "$(command -v postgres || ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null)" ] || missing+=(postgresql)
command -v redis-server >/dev/null || missing+=(redis-server)
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "not installed, and not to be installed by this user: ${missing[*]}" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
# Tests start servers of their own: those of the packages stay off.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
  echo "could not be installed: ${missing[*]}" >&2
exit 0
