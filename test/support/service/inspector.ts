import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";

/** Memory of a process in MiB. */
export interface ProcessMemory {
  readonly rssMb: number;
  readonly heapMb: number;
}

/** A value of the inspected process. */
interface Remote {
  readonly result: { readonly value?: unknown; readonly objectId?: string };
  readonly exceptionDetails?: object;
}

/** How often the functions of each module were called; the first range is the whole function. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly [{ readonly count: number }];
    }[];
  }[];
}

/** A function's own allocations, and the functions that it called. */
interface AllocationNode {
  readonly selfSize: number;
  readonly children: readonly AllocationNode[];
}

/** Mean bytes between two samples: a thousand of them are exact to 3 %. */
const SAMPLING_BYTES = 16_384;

const SETTLE_MS = 50;

const READ_MEMORY = `(() => {
  const { rss, heapUsed } = process.memoryUsage();
  return { rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 };
})()`;

/** The object group that is released after each count. */
const GROUP = "counted";

/** Node.js prints its inspector's URL on stderr. */
const ADDRESS = /Debugger listening on (ws:\S+)/;

/** Inspects a Node.js process that runs with `--inspect=127.0.0.1:0`. */
export class Inspector {
  readonly #socket: WebSocket;
  /** Resolves each call in flight; with undefined when the process has exited. */
  readonly #waiting = new Map<number, (answer: string | undefined) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id }: { id: number } = JSON.parse(data);
      this.#waiting.get(id)?.(data);
    });
    socket.addEventListener("close", () => {
      for (const answer of this.#waiting.values()) answer(undefined);
    });
  }

  /** @param stderr the output of the process so far */
  static async open(stderr: string): Promise<Inspector> {
    const [, address] = ADDRESS.exec(stderr) ?? [];
    if (address === undefined) throw new Error(`No inspector is listening: ${stderr}`);
    const socket = new WebSocket(address);
    await once(socket, "open");
    return new Inspector(socket);
  }

  async readMemory(): Promise<ProcessMemory> {
    const { result } = await this.#evaluate(`JSON.stringify(${READ_MEMORY})`);
    return JSON.parse(String(result.value));
  }

  /**
   * Counts live objects after a garbage collection, which takes longer than counting.
   * @param kinds expressions of a prototype, from which the counted objects inherit, and of a function that is called with each of them
   */
  async countObjects<Kind extends string>(
    kinds: Readonly<Record<Kind, readonly [prototype: string, isCounted?: string]>>,
  ): Promise<Record<Kind, number>> {
    const { result } = await this.#evaluate("Object.prototype", false);
    const { objects } = await this.#call<{ objects: { objectId: string } }>("Runtime.queryObjects", {
      prototypeObjectId: result.objectId,
      objectGroup: GROUP,
    });
    const counts = Object.entries<readonly [string, string?]>(kinds).map(
      ([kind, [prototype, isCounted = "() => true"]]) => `${kind}: this.filter((object) =>
        Object.prototype.isPrototypeOf.call(${prototype}, object) && (${isCounted})(object)).length`,
    );
    const { result: text } = await this.#call<Remote>("Runtime.callFunctionOn", {
      objectId: objects.objectId,
      functionDeclaration: `function () { return JSON.stringify({ ${counts.join(", ")} }); }`,
      returnByValue: true,
    });
    await this.#call("Runtime.releaseObjectGroup", { objectGroup: GROUP });
    return JSON.parse(String(text.value));
  }

  /**
   * Finds the functions that each run of some work enters; initializers of fields are not counted.
   * @param directory of the modules
   * @returns the path of each function's module and its name
   */
  async findEntered(directory: string, runs: number, work: () => Promise<unknown>): Promise<string[][]> {
    await this.#call("Profiler.enable", {});
    await this.#call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    for (let run = 0; run < runs; run += 1) await work();
    // What follows the last reply, such as its log line.
    await sleep(SETTLE_MS);
    const { result } = await this.#call<Coverage>("Profiler.takePreciseCoverage", {});
    await this.#call("Profiler.stopPreciseCoverage", {});
    return result
      .filter(({ url }) => url.includes(directory))
      .flatMap(({ url, functions }) =>
        functions
          // Timers run less often than the work.
          .filter(({ functionName, ranges: [whole] }) => !functionName.startsWith("<") && whole.count >= runs)
          .map(({ functionName }) => [url.slice(url.indexOf(directory) + directory.length), functionName]),
      );
  }

  /** Returns the bytes that the process allocates in its heap during some work, most of which it frees again. */
  async countAllocatedBytes(work: () => Promise<unknown>): Promise<number> {
    await this.#call("HeapProfiler.startSampling", {
      samplingInterval: SAMPLING_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await work();
    await sleep(SETTLE_MS);
    const { profile } = await this.#call<{ profile: { head: AllocationNode } }>(
      "HeapProfiler.stopSampling",
      {},
    );
    return sumOfSizes(profile.head);
  }

  close(): void {
    this.#socket.close();
  }

  async #evaluate(expression: string, returnByValue = true): Promise<Remote> {
    const params = { expression, returnByValue, objectGroup: GROUP };
    const remote = await this.#call<Remote>("Runtime.evaluate", params);
    if (remote.exceptionDetails) throw new Error(JSON.stringify(remote.exceptionDetails));
    return remote;
  }

  #call<Result>(method: string, params: object): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id);
        if (answer === undefined) return reject(new Error("The inspected process has exited."));
        const { result, error } = JSON.parse(answer);
        return error ? reject(new Error(`${method}: ${JSON.stringify(error)}`)) : resolve(result);
      });
    });
  }
}

function sumOfSizes({ selfSize, children }: AllocationNode): number {
  return children.reduce((sum, child) => sum + sumOfSizes(child), selfSize);
}
