import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { OperatorError } from "../../../domain/shared/operator-error.js";
import { type Metrics, NONE } from "./import-stage.js";
import { type SourcePosition, START } from "./source-record.js";

const count = z.int().min(0);
const progress = z.object({
  position: z.object({ offset: count, lines: count }),
  metrics: z.object({ created: count, updated: count, unchanged: count, refused: count }),
});
const content = z.object({ import: z.string(), files: z.record(z.string(), progress) });

type Content = z.infer<typeof content>;

/** How far an import has come with a file. */
export interface Progress {
  readonly position: SourcePosition;
  readonly metrics: Metrics;
}

/** A file that tells how far an import has come, so that one that was broken off goes on there. */
export class Checkpoint {
  readonly #path: string | null;
  #content: Content;

  private constructor(path: string | null, kept: Content) {
    this.#path = path;
    this.#content = kept;
  }

  /**
   * @param path null keeps nothing
   * @param identity what is imported where: the notes of another import, or about files that have changed since, do not count
   */
  static async open(path: string | null, identity: string): Promise<Checkpoint> {
    const kept = path === null ? null : await read(path);
    return new Checkpoint(path, kept?.import === identity ? kept : { import: identity, files: {} });
  }

  /** How far the import of a file of this kind had come. */
  progressOf(kind: string): Progress {
    return this.#content.files[kind] ?? { position: START, metrics: NONE };
  }

  /** Notes what is written for good. */
  async note(kind: string, { position, metrics }: Progress): Promise<void> {
    if (this.#path === null) return;
    const files = { ...this.#content.files, [kind]: { position: { ...position }, metrics: { ...metrics } } };
    this.#content = { ...this.#content, files };
    // In one step: whoever is killed meanwhile leaves the former one.
    const draft = `${this.#path}.draft`;
    try {
      await writeFile(draft, `${JSON.stringify(this.#content)}\n`);
      await rename(draft, this.#path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OperatorError(`Cannot write the checkpoint: ${reason}.`, { cause: error });
    }
  }

  /** Forgets it: the import is done. */
  async remove(): Promise<void> {
    if (this.#path !== null) await rm(this.#path, { force: true });
  }
}

async function read(path: string): Promise<Content | null> {
  let text: string;
  try {
    // Whoever may do everything would put a file in place of a device, and wait for ever for what a pipe holds.
    if (!(await stat(path)).isFile())
      throw new OperatorError(`${path} is no file: name another one for the checkpoint.`);
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new OperatorError(`Cannot read the checkpoint ${path}.`, { cause: error });
  }
  const parsed = content.safeParse(parseOrNull(text));
  if (parsed.success) return parsed.data;
  throw new OperatorError(`${path} is no checkpoint of an import. Remove it, or name another file.`);
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
