#!/bin/sh
# Writes .env beside compose.yaml with random secrets. Never overwrites it: the database keeps its first passwords.
set -eu
cd "$(dirname "$0")"
umask 077
if [ -e .env ]; then
  echo ".env already exists. Delete it first to create new secrets." >&2
  exit 1
fi
cat >.env <<SECRETS
POSTGRES_PASSWORD=$(openssl rand -hex 24)
SERVICE_PASSWORD=$(openssl rand -hex 24)
REDIS_PASSWORD=$(openssl rand -hex 24)
METRICS_TOKEN=$(openssl rand -hex 32)
# Encrypts the tokens, which are lost without it. Store a copy separately from database backups.
ENCRYPTION_KEYS=$(openssl rand -base64 32)
SECRETS
echo "wrote $(pwd)/.env"
