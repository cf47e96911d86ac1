declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** The parts that tests use. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
