import { ApiError, ConnectionError, UserGroupsClient, UserGroupsError } from "@user-groups/client";
import type { ProcessEnvironment } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";

/** The service that a command calls, and where its URL and key come from, for error messages. */
interface RemoteService {
  readonly url: string | undefined;
  readonly urlName: string;
  /** The environment variable with the API key. Keys are never arguments, which other users of the machine see. */
  readonly keyName: string;
  readonly fetch?: typeof globalThis.fetch;
}

export const URL_NAME = "USER_GROUPS_URL";

/** Returns the service whose URL and API key the environment variables have. */
export function serviceOf(environment: ProcessEnvironment): RemoteService {
  return { url: environment[URL_NAME], urlName: URL_NAME, keyName: "USER_GROUPS_API_KEY" };
}

/**
 * Calls the API of a service, which may run elsewhere.
 * @throws OperatorError for settings that are missing or invalid, and for errors of the API
 */
export async function withClient<Result>(
  environment: ProcessEnvironment,
  { url, urlName, keyName, fetch }: RemoteService,
  work: (client: UserGroupsClient) => Promise<Result>,
): Promise<Result> {
  const apiKey = environment[keyName];
  if (!url) throw new OperatorError(`The URL of the service is missing. Set ${urlName}.`);
  if (!apiKey) throw new OperatorError(`The API key is missing. Set the environment variable ${keyName}.`);
  const client = createClient({ baseUrl: url, apiKey, fetch, appName: "cli" }, { urlName, keyName });
  try {
    return await work(client);
  } catch (error) {
    throw toOperatorError(error);
  } finally {
    client.close();
  }
}

function createClient(
  options: ConstructorParameters<typeof UserGroupsClient>[0],
  { urlName, keyName }: Pick<RemoteService, "urlName" | "keyName">,
): UserGroupsClient {
  try {
    return new UserGroupsClient(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = error.message.replace("`baseUrl`", urlName).replace("`apiKey`", keyName);
    throw new OperatorError(message.replace(" Set `allowHttp` to allow it.", ""), { cause: error });
  }
}

/** Returns the error of a call as one that the operator can fix; any other error as it is. */
export function toOperatorError(error: unknown): unknown {
  if (!(error instanceof UserGroupsError)) return error;
  const fields = error instanceof ApiError ? error.userErrors.map(({ message }) => message) : [];
  const message = fields.length > 0 ? fields.join(" ") : error.message;
  const unavailable = error instanceof ConnectionError ? { code: "unavailable" as const } : {};
  return new OperatorError(message, { cause: error, ...unavailable });
}
