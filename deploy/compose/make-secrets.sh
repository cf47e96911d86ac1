#!/bin/sh
# Writes .env beside compose.yaml with new random secrets; never over one that is there, as the database has its passwords for good.
set -eu
cd "$(dirname "$0")"
umask 077
if [ -e .env ]; then
  echo ".env is there already: its secrets stay." >&2
  exit 1
fi
cat >.env <<SECRETS
POSTGRES_PASSWORD=$(openssl rand -hex 24)
SERVICE_PASSWORD=$(openssl rand -hex 24)
REDIS_PASSWORD=$(openssl rand -hex 24)
METRICS_TOKEN=$(openssl rand -hex 32)
# Seals the tokens: whoever loses it loses all of them. Keep a copy apart from the database's backups.
ENCRYPTION_KEYS=$(openssl rand -base64 32)
SECRETS
echo "wrote $(pwd)/.env"
