#!/bin/sh
# Runs PgBouncer with pgbouncer.ini, which stands beside this script.
# POSTGRES: the server, as "host=… port=…"; LISTEN: "listen_addr=… listen_port=…"; SERVICE_PASSWORD: of the service's role.
set -eu
settings=$(cd "$(dirname "$0")" && pwd)/pgbouncer.ini
run=$(mktemp -d)
cd "$run"
umask 077
printf '[databases]\nuser_groups = %s dbname=user_groups\n' "$POSTGRES" >databases.ini
for setting in $LISTEN; do echo "$setting"; done >listen.ini
printf '"user_groups_service" "%s"\n' "$SERVICE_PASSWORD" >users.txt
# It refuses to run as root, and takes another user only where it is root.
if [ "$(id -u)" -eq 0 ]; then
  chown -R nobody "$run"
  exec pgbouncer --user=nobody "$settings"
fi
exec pgbouncer "$settings"
