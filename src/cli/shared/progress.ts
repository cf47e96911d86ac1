const REDRAW_MS = 100;

/** The subset of stderr that a progress line uses. */
export interface Terminal {
  /** Undefined for files and pipes. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The number of records so far, on a terminal; writes nothing if the output is not a terminal. */
export class ProgressLine {
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly terminal: Terminal) {}

  update(records: number, label: string): void {
    const now = performance.now();
    if (!this.terminal.isTTY || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.terminal.write(`\r${records.toLocaleString("en")} ${label}\u001b[K`);
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.#drawnAt >= 0) this.terminal.write("\r\u001b[K");
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}
