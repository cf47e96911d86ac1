const MAX_LINE = 100;

/**
 * Returns a curl command as a Markdown code block. The reader sets `BASE_URL` and `KEY`.
 * @param body JSON without apostrophes
 */
export function curlBlock(method: string, path: string, body?: object, header?: string): string {
  const lines = [
    `curl ${method === "GET" && body === undefined ? "" : `-X ${method} `}"$BASE_URL${path}"`,
    `  -H "Authorization: Token $KEY"`,
    ...(header === undefined ? [] : [`  -H "${header}"`]),
    ...(body === undefined ? [] : [`  -H "Content-Type: application/json"`, `  -d '${textOf(body)}'`]),
  ];
  return `\`\`\`sh\n${lines.join(" \\\n")}\n\`\`\``;
}

/** Long bodies have one line per field. */
function textOf(body: object): string {
  const line = JSON.stringify(body);
  if (line.length <= MAX_LINE) return line;
  const fields = Object.entries(body).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${fields.join(",\n")}\n  }`;
}
