import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Creates a self-signed certificate for 127.0.0.1. @returns undefined without openssl */
export async function makeCertificate(): Promise<Certificate | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-certificate-"));
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  try {
    await promisify(execFile)("openssl", ["req", "-x509", ...kind, ...name, "-keyout", key, "-out", cert]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(directory, { recursive: true });
  }
}
