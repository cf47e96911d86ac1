/** Settings of the examples, from the environment. */
export function readSettings() {
  const {
    USER_GROUPS_URL,
    USER_GROUPS_API_KEY,
    USER_GROUPS_AUDIENCE = "demo/Customer",
    PORT = "3000",
  } = process.env;
  if (!USER_GROUPS_URL || !USER_GROUPS_API_KEY) {
    throw new Error(
      "Set `USER_GROUPS_URL` to the URL of the service and `USER_GROUPS_API_KEY` to an API key.",
    );
  }
  return {
    serviceUrl: USER_GROUPS_URL,
    apiKey: USER_GROUPS_API_KEY,
    // The account's name and the environment of the API key.
    audience: USER_GROUPS_AUDIENCE,
    port: Number(PORT),
  };
}

/** Ends the process with the reason why the server could not start. @param {Error} error */
export function failToStart(error) {
  const isInUse = "code" in error && error.code === "EADDRINUSE";
  console.error(isInUse ? `${error.message}. Set another PORT.` : error);
  process.exit(1);
}
