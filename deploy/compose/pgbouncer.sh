#!/bin/sh
# Runs PgBouncer with the pgbouncer.ini beside this script.
# POSTGRES: the server, as "host=… port=…"; LISTEN: "listen_addr=… listen_port=…"; SERVICE_PASSWORD: password of the application role.
set -eu
settings=$(cd "$(dirname "$0")" && pwd)/pgbouncer.ini
run=$(mktemp -d)
cd "$run"
umask 077
printf '[databases]\nuser_groups = %s dbname=user_groups\n' "$POSTGRES" >databases.ini
for setting in $LISTEN; do echo "$setting"; done >listen.ini
printf '"user_groups_service" "%s"\n' "$SERVICE_PASSWORD" >users.txt
# PgBouncer refuses to run as root, and accepts --user only as root.
if [ "$(id -u)" -eq 0 ]; then
  chown -R nobody "$run"
  exec pgbouncer --user=nobody "$settings"
fi
exec pgbouncer "$settings"
