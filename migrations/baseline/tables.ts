/** IDs come from sequences, as Citus distributes no identity columns. The last one is the last that JSON numbers keep exactly. */
const ID = `AS bigint MAXVALUE ${Number.MAX_SAFE_INTEGER}`;

// Ids and names that callers give are ordered by code points ("C"): the same on every server, and after its next upgrade. Storage parameters
// that depart from the server's: docs/scaling.md gives the reasons.
export const TABLES = `
CREATE TYPE environment AS ENUM ('Customer', 'Testing');
CREATE TYPE api_key_scope AS ENUM ('read', 'embed', 'write', 'admin');
CREATE TYPE webhook_delivery_state AS ENUM ('pending', 'delivered', 'dead');

CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY,
  name character varying(255) NOT NULL,
  token_key_id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT account_pk PRIMARY KEY (id),
  CONSTRAINT account_name_uq UNIQUE (name)
);

CREATE SEQUENCE api_key_id_seq ${ID};
CREATE TABLE api_key (
  account_id integer NOT NULL,
  id bigint NOT NULL DEFAULT nextval('api_key_id_seq'),
  environment environment NOT NULL,
  scope api_key_scope NOT NULL,
  name character varying(255) NOT NULL,
  hash bytea NOT NULL,
  hint text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  sessions_valid_from timestamp(3) with time zone,
  CONSTRAINT api_key_pk PRIMARY KEY (account_id, id),
  CONSTRAINT api_key_hash_uq UNIQUE (account_id, hash),
  CONSTRAINT api_key_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
) WITH (fillfactor = 70);
ALTER SEQUENCE api_key_id_seq OWNED BY api_key.id;

CREATE SEQUENCE data_source_id_seq ${ID};
CREATE TABLE data_source (
  account_id integer NOT NULL,
  id bigint NOT NULL DEFAULT nextval('data_source_id_seq'),
  provided_id character varying(255) COLLATE "C" NOT NULL,
  name character varying(255) COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  environment environment NOT NULL,
  CONSTRAINT data_source_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT data_source_provided_id_uq UNIQUE (account_id, environment, provided_id),
  CONSTRAINT data_source_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
);
ALTER SEQUENCE data_source_id_seq OWNED BY data_source.id;

-- Ids are drawn ahead of the insert, because a token is sealed for the id of its group.
CREATE SEQUENCE user_group_team_id ${ID};
-- properties is json, not jsonb: what is stored comes back with its keys in the order given. mapping_version grows with each change of the
-- mapping, so that the audit log can tell what an update was about; token_generation with each rotation, which invalidates the embed
-- sessions that name a former generation.
CREATE TABLE user_group (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  id bigint NOT NULL,
  provided_id character varying(255) COLLATE "C" NOT NULL,
  name character varying(255) COLLATE "C" NOT NULL,
  token_key_id text NOT NULL,
  token_ciphertext bytea NOT NULL,
  token_lookup bytea NOT NULL,
  previous_token_lookup bytea,
  previous_token_expires_at timestamp(3) with time zone,
  properties json,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  mapping_version integer NOT NULL DEFAULT 1,
  token_generation integer NOT NULL DEFAULT 1,
  CONSTRAINT user_group_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT user_group_provided_id_uq UNIQUE (account_id, environment, provided_id),
  CONSTRAINT user_group_token_uq UNIQUE (account_id, token_lookup),
  CONSTRAINT user_group_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE TABLE mapping_entry (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  user_group_id bigint NOT NULL,
  schema_id character varying(255) COLLATE "C" NOT NULL,
  data_source_id bigint NOT NULL,
  CONSTRAINT mapping_entry_pk PRIMARY KEY (account_id, environment, user_group_id, schema_id),
  CONSTRAINT mapping_entry_user_group_fk FOREIGN KEY (account_id, environment, user_group_id)
    REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE,
  CONSTRAINT mapping_entry_data_source_fk FOREIGN KEY (account_id, environment, data_source_id)
    REFERENCES data_source (account_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- Tokens of other services name no account: this finds the group.
CREATE TABLE brought_token (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  user_group_id bigint NOT NULL,
  lookup bytea NOT NULL,
  CONSTRAINT brought_token_pk PRIMARY KEY (account_id, environment, user_group_id),
  CONSTRAINT brought_token_user_group_fk FOREIGN KEY (account_id, environment, user_group_id)
    REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE
);

CREATE SEQUENCE site_config_id_seq ${ID};
-- revision and size (in bytes) are those of the current revision; public_from is the first that everybody may read. A deleted site keeps its
-- row: a number of a revision is never used again, as replies with revisions are cached forever.
CREATE TABLE site_config (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  id bigint NOT NULL DEFAULT nextval('site_config_id_seq'),
  site character varying(255) COLLATE "C" NOT NULL,
  public_from integer,
  revision integer NOT NULL,
  size integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  CONSTRAINT site_config_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT site_config_site_uq UNIQUE (account_id, environment, site),
  CONSTRAINT site_config_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
);
ALTER SEQUENCE site_config_id_seq OWNED BY site_config.id;

-- The document is text, not json: it comes back byte for byte. The hash is its SHA-256.
CREATE TABLE site_config_revision (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  site_config_id bigint NOT NULL,
  revision integer NOT NULL,
  text text NOT NULL,
  hash bytea NOT NULL,
  author character varying(255) NOT NULL,
  author_key_id bigint,
  restored_from integer,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT site_config_revision_pk PRIMARY KEY (account_id, environment, site_config_id, revision),
  CONSTRAINT site_config_revision_site_config_fk FOREIGN KEY (account_id, environment, site_config_id)
    REFERENCES site_config (account_id, environment, id)
);

CREATE SEQUENCE audit_entry_id_seq ${ID};
CREATE TABLE audit_entry (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  id bigint NOT NULL DEFAULT nextval('audit_entry_id_seq'),
  action text NOT NULL,
  subject_id bigint NOT NULL,
  subject_name text NOT NULL,
  version integer,
  changed text[] NOT NULL,
  actor_key_id bigint,
  actor_name text NOT NULL,
  request_id text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT audit_entry_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT audit_entry_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
);
ALTER SEQUENCE audit_entry_id_seq OWNED BY audit_entry.id;

CREATE SEQUENCE webhook_endpoint_id_seq ${ID};
-- From here on, environment is text: PostgreSQL does not take a comparison of enums for an index condition where the tenant's policy stands
-- beside the operator's, as it is not marked leakproof.
CREATE TABLE webhook_endpoint (
  account_id integer NOT NULL,
  environment text NOT NULL,
  id bigint NOT NULL DEFAULT nextval('webhook_endpoint_id_seq'),
  name character varying(255) NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  secret_key_id text NOT NULL,
  secret_ciphertext bytea NOT NULL,
  previous_secret_ciphertext bytea,
  previous_secret_expires_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  disabled_reason text,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  last_error text,
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since timestamp(3) with time zone,
  paused_until timestamp(3) with time zone,
  CONSTRAINT webhook_endpoint_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT webhook_endpoint_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
) WITH (fillfactor = 70);
ALTER SEQUENCE webhook_endpoint_id_seq OWNED BY webhook_endpoint.id;

CREATE SEQUENCE webhook_delivery_id_seq ${ID};
-- payload is json, not jsonb: each attempt sends the same bytes. queued_at is when the delivery was written, or replayed.
CREATE TABLE webhook_delivery (
  account_id integer NOT NULL,
  environment text NOT NULL,
  id bigint NOT NULL DEFAULT nextval('webhook_delivery_id_seq'),
  endpoint_id bigint NOT NULL,
  event_id uuid NOT NULL,
  event text NOT NULL,
  subject text NOT NULL,
  payload json NOT NULL,
  state webhook_delivery_state NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_status integer,
  last_error text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  delivered_at timestamp(3) with time zone,
  queued_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_delivery_pk PRIMARY KEY (account_id, environment, id),
  CONSTRAINT webhook_delivery_endpoint_fk FOREIGN KEY (account_id, environment, endpoint_id)
    REFERENCES webhook_endpoint (account_id, environment, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER SEQUENCE webhook_delivery_id_seq OWNED BY webhook_delivery.id;

-- user_group_ids are the groups that a stored reply may name, so that erasing one finds it.
CREATE TABLE idempotent_request (
  account_id integer NOT NULL,
  environment text NOT NULL,
  key character varying(255) NOT NULL,
  fingerprint bytea NOT NULL,
  reply_key_id text,
  reply_ciphertext bytea,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  user_group_ids bigint[],
  CONSTRAINT idempotent_request_pk PRIMARY KEY (account_id, environment, key),
  CONSTRAINT idempotent_request_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- Keys that sign embed sessions, shared by all accounts of the installation.
CREATE TABLE signing_key (
  id text NOT NULL,
  algorithm text NOT NULL,
  public_key text NOT NULL,
  private_key_id text NOT NULL,
  private_key_ciphertext bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  signs_from timestamp(3) with time zone NOT NULL,
  retired_from timestamp(3) with time zone,
  CONSTRAINT signing_key_pk PRIMARY KEY (id)
);`;
