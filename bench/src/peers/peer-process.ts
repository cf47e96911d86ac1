import type { AddressInfo, Server } from "node:net";

/** What a peer is told, as JSON, by its first argument. */
export interface PeerSettings {
  /** As the role that owns the tables: row level security does not hold for peers. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  /** The most connections to the database. */
  readonly poolSize: number;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  /** The tenants by their API keys. */
  readonly tenants: Readonly<Record<string, Tenant>>;
  /** What is answered by a peer that asks no database. */
  readonly constant: object;
  /** What a program that can be several peers is to be. */
  readonly mode: string;
}

export interface Tenant {
  readonly accountId: number;
  readonly environment: string;
}

export function readSettings(): PeerSettings {
  return JSON.parse(process.argv[2] ?? "{}");
}

/** Finds the tenant in memory: peers are spared the look-up of API keys. */
export function tenantOf(settings: PeerSettings, authorization: string | undefined): Tenant | undefined {
  const [scheme, key = ""] = (authorization ?? "").split(" ");
  return scheme === "Token" ? settings.tenants[key] : undefined;
}

/** Tells whoever started this process where it answers. */
export function announce(server: Server): void {
  const address = server.address();
  if (!isPort(address)) throw new Error("The server does not listen on a port.");
  process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`);
}

function isPort(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
