import { once } from "node:events";
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
   * Counts live objects after a garbage collection.
   * @param prototype an expression; objects that inherit from it are counted
   * @param isCounted an expression of a function that is called with each of them
   */
  async countObjects(prototype: string, isCounted = "() => true"): Promise<number> {
    const { result } = await this.#evaluate(prototype, false);
    const { objects } = await this.#call<{ objects: { objectId: string } }>("Runtime.queryObjects", {
      prototypeObjectId: result.objectId,
      objectGroup: GROUP,
    });
    const { result: count } = await this.#call<Remote>("Runtime.callFunctionOn", {
      objectId: objects.objectId,
      functionDeclaration: `function () { return this.filter(${isCounted}).length; }`,
      returnByValue: true,
    });
    await this.#call("Runtime.releaseObjectGroup", { objectGroup: GROUP });
    return Number(count.value);
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
