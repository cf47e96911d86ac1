import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { UserGroupsClient } from "../../../clients/typescript/src/client.js";

/** Runs code that the console shows: `curl`, `TypeScript` or `Python`. @param key the API key */
export async function runSnippet(language: string, key: string, code: string): Promise<void> {
  const env = { ...process.env, KEY: key, USER_GROUPS_API_KEY: key };
  if (language === "TypeScript") {
    const body = code.replace(/^import .*$/m, "").replace("await ", "return ");
    await new Function("UserGroupsClient", "process", body)(UserGroupsClient, { env });
    return;
  }
  const [program, option] = language === "curl" ? ["sh", "-c"] : ["python3", "-c"];
  await promisify(execFile)(program ?? "", [option ?? "", code], { env });
}
