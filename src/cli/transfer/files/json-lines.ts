import { isObject } from "../../../domain/shared/json.js";
import { withSource } from "../../../domain/shared/json-source.js";
import { parseJsonBytes } from "../../../domain/shared/json-text.js";
import { catchRefusal, Refusal } from "../../../domain/transfer/refusal.js";
import { MAX_RECORD_BYTES, type SourcePosition, type SourceRecord, VERBATIM_FIELD } from "./source-record.js";

const NEW_LINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Reads JSON Lines: a JSON object on each line. Empty lines are skipped but counted.
 * @param chunks the bytes from the position on
 */
export async function* readJsonLines(
  chunks: AsyncIterable<Uint8Array>,
  from: SourcePosition,
): AsyncGenerator<SourceRecord> {
  let { offset: end, lines } = from;
  /** The chunks of an incomplete line. */
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const completeLine = (bytes: Buffer): SourceRecord | null => {
    lines += 1;
    end += pendingBytes + bytes.length;
    const isTooLong = pendingBytes + bytes.length > MAX_RECORD_BYTES;
    const line = pending.length === 0 || isTooLong ? bytes : Buffer.concat([...pending, bytes]);
    pending = [];
    pendingBytes = 0;
    if (isTooLong) return { line: lines, lastLine: lines, end, content: tooLong() };
    const text = lines === 1 && line.indexOf(BYTE_ORDER_MARK) === 0 ? line.subarray(3) : line;
    return isBlank(text) ? null : { line: lines, lastLine: lines, end, content: readLine(text) };
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, start)) {
      const record = completeLine(bytes.subarray(start, at + 1));
      start = at + 1;
      if (record) yield record;
    }
    if (start === bytes.length) continue;
    // Discard the contents of lines that are too long.
    if (pendingBytes <= MAX_RECORD_BYTES) pending.push(Buffer.from(bytes.subarray(start)));
    else pending = [];
    pendingBytes += bytes.length - start;
  }
  const last = pendingBytes > 0 ? completeLine(Buffer.alloc(0)) : null;
  if (last) yield last;
}

function readLine(bytes: Buffer): SourceRecord["content"] {
  return catchRefusal(() => {
    const { value, text } = parseJsonBytes(bytes, "The line");
    if (!isObject(value)) return new Refusal("invalid_json", "The line must be a JSON object.");
    return withSource(value, VERBATIM_FIELD, text);
  });
}

function tooLong(): Refusal {
  return new Refusal("payload_too_large", `The line has more than ${MAX_RECORD_BYTES} bytes.`);
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === NEW_LINE || byte === 0x0d || byte === 0x20 || byte === 0x09);
}
