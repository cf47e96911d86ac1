/**
 * Returns a curl command as a Markdown code block. The reader sets `BASE_URL` and `KEY`.
 * @param body JSON without apostrophes
 */
export function curlBlock(method: string, path: string, body?: object, header?: string): string {
  const lines = [
    `curl ${method === "GET" && body === undefined ? "" : `-X ${method} `}"$BASE_URL${path}"`,
    `  -H "Authorization: Token $KEY"`,
    ...(header === undefined ? [] : [`  -H "${header}"`]),
    ...(body === undefined
      ? []
      : [`  -H "Content-Type: application/json"`, `  -d '${JSON.stringify(body)}'`]),
  ];
  return `\`\`\`sh\n${lines.join(" \\\n")}\n\`\`\``;
}
