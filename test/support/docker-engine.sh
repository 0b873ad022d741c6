#!/usr/bin/env bash
# A Docker engine of its own for one test run: own socket, own data, gone when stdin closes, whatever ended the run.
# As root on Debian it installs docker.io first where that is missing. Says one line on stdout, `ready SOCKET` or
# `skipped REASON`; everything else goes to stderr.
# usage: docker-engine.sh FOLDER
set -uo pipefail

folder="$1"
socket="$folder/docker.sock"
pid=''

skip() {
  echo "skipped $*"
  exit 0
}

install_engine() {
  command -v apt-get >/dev/null || skip 'there is no apt-get to install docker.io with'
  local packages=(docker.io iptables) policy=/usr/sbin/policy-rc.d placed=''
  # Nothing of the machine's own is to start with the package: the engine of this run is another one.
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && placed=1
  fi
  timeout 120 apt-get -qq update >&2 || echo 'apt-get update failed' >&2
  local status=0
  DEBIAN_FRONTEND=noninteractive timeout 240 apt-get -qq -o DPkg::Lock::Timeout=60 install --yes \
    --no-install-recommends "${packages[@]}" >&2 || status=$?
  [ -z "$placed" ] || rm -f "$policy"
  [ "$status" -eq 0 ] || skip "apt-get install docker.io ended with $status"
}

remember_firewall() {
  iptables-save -t filter >"$folder/filter.rules" && iptables-save -t nat >"$folder/nat.rules"
  ip -o link show type bridge | cut -d: -f2 >"$folder/bridges"
}

restore_firewall() {
  iptables-restore -T filter <"$folder/filter.rules"
  iptables-restore -T nat <"$folder/nat.rules"
  ip -o link show type bridge | cut -d: -f2 | grep -vxFf "$folder/bridges" | while read -r bridge; do
    case "$bridge" in br-*) ip link delete "$bridge" ;; esac
  done
}

wait_for_end() {
  for _ in $(seq 150); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.2
  done
  kill -KILL "$1" 2>/dev/null
}

stop_engine() {
  local containerd
  containerd="$(cat "$folder/exec/containerd/containerd.pid" 2>/dev/null)"
  kill "$pid" 2>/dev/null
  wait_for_end "$pid"
  if [ -n "$containerd" ]; then wait_for_end "$containerd"; fi
  cut -d' ' -f2 /proc/self/mounts | grep "^$folder/" | sort -r | while read -r mount; do umount -l "$mount"; done
  restore_firewall
  rm -rf "$folder"
}

start_engine() {
  # Without the default bridge: the run makes networks of its own, and docker0 may be another engine's.
  dockerd --host "unix://$socket" --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
    --bridge none --shutdown-timeout 5 --log-level warn >"$folder/dockerd.log" 2>&1 &
  pid=$!
  for _ in $(seq 150); do
    kill -0 "$pid" 2>/dev/null || break
    [ -S "$socket" ] && [ -s "$folder/pid" ] && return 0
    sleep 0.2
  done
  tail -n 20 "$folder/dockerd.log" >&2
  return 1
}

[ "$(id -u)" -eq 0 ] || skip 'only root may start a Docker engine'
command -v dockerd >/dev/null || install_engine
for program in dockerd iptables-save ip; do
  command -v "$program" >/dev/null || skip "there is no $program"
done
mkdir -p -m 700 "$folder" && remember_firewall || skip 'the firewall cannot be read'
# The end of stdin is the only order to stop; a Ctrl-C is for the run itself.
trap '' INT TERM HUP
if ! start_engine; then
  reason="dockerd did not start: $(tail -n 1 "$folder/dockerd.log")"
  stop_engine >&2 2>&1
  skip "$reason"
fi
echo "ready $socket"
cat >/dev/null
stop_engine >&2
