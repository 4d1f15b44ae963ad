#!/bin/sh
# Installs the browser that the tests of the replay report are run in, where there is none.
set -eu

if [ -x /usr/bin/chromium ]; then
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo 'Chromium is not installed. As root: apt-get install -y --no-install-recommends chromium' >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends chromium
