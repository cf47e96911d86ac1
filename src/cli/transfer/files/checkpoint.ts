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

/** The import progress of one file. */
export interface Progress {
  readonly position: SourcePosition;
  readonly metrics: Metrics;
}

/** A checkpoint file, from which an interrupted import is resumed. */
export class Checkpoint {
  readonly #path: string | null;
  #content: Content;

  private constructor(path: string | null, saved: Content) {
    this.#path = path;
    this.#content = saved;
  }

  /**
   * @param path null disables the checkpoint
   * @param identity identifies source files, target and options: the checkpoint of another import, or of changed files, is ignored
   */
  static async open(path: string | null, identity: string): Promise<Checkpoint> {
    const saved = path === null ? null : await read(path);
    return new Checkpoint(path, saved?.import === identity ? saved : { import: identity, files: {} });
  }

  /** Returns the progress of the file of this kind. */
  progressOf(kind: string): Progress {
    return this.#content.files[kind] ?? { position: START, metrics: NONE };
  }

  /** Records committed progress. */
  async save(kind: string, { position, metrics }: Progress): Promise<void> {
    if (this.#path === null) return;
    const files = { ...this.#content.files, [kind]: { position: { ...position }, metrics: { ...metrics } } };
    this.#content = { ...this.#content, files };
    // Replace atomically: a crash leaves the previous checkpoint intact.
    const draft = `${this.#path}.draft`;
    try {
      await writeFile(draft, `${JSON.stringify(this.#content)}\n`);
      await rename(draft, this.#path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OperatorError(`Cannot write the checkpoint: ${reason}.`, { cause: error });
    }
  }

  /** Deletes the checkpoint once the import is complete. */
  async remove(): Promise<void> {
    if (this.#path !== null) await rm(this.#path, { force: true });
  }
}

async function read(path: string): Promise<Content | null> {
  let text: string;
  try {
    // Require a regular file: root would replace a device, and reading a pipe could block forever.
    if (!(await stat(path)).isFile())
      throw new OperatorError(
        `The checkpoint ${JSON.stringify(path)} is not a regular file. Choose another path.`,
      );
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new OperatorError(`Cannot read the checkpoint ${JSON.stringify(path)}.`, { cause: error });
  }
  const parsed = content.safeParse(parseOrNull(text));
  if (parsed.success) return parsed.data;
  throw new OperatorError(
    `${JSON.stringify(path)} is not an import checkpoint. Delete it, or choose another path.`,
  );
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
