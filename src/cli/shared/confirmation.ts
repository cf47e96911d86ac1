import { createInterface } from "node:readline/promises";

/** Asks a question on stderr. @returns whether the next line of standard input is the answer */
export async function isConfirmed(question: string, answer: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin });
  try {
    process.stderr.write(question);
    for await (const line of prompt) return line === answer;
    return false;
  } finally {
    prompt.close();
  }
}
