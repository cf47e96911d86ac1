import { IncomingMessage } from "node:http";
import { GRAPHQL_PATH } from "../../graphql/server/plugin.js";

/**
 * A request that is upgraded only to a WebSocket on the GraphQL path. Once a server handles upgrades, Node would hand it every request
 * with an Upgrade header, without the body: those of Java's HTTP client and of `curl --http2`, which offer `h2c`, would not be served.
 */
export class HttpMessage extends IncomingMessage {
  /** As parsed by Node. */
  requestsUpgrade = false;

  // Node assigns and reads this property. Its own filter, `shouldUpgradeCallback`, is missing in Node 20.
  set upgrade(value: unknown) {
    this.requestsUpgrade = value === true;
  }

  get upgrade(): boolean {
    return this.requestsUpgrade && (this.method === "CONNECT" || isWebSocket(this));
  }
}

function isWebSocket({ method, url = "", headers }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0];
  if (method !== "GET" || path !== GRAPHQL_PATH || headers.upgrade?.toLowerCase() !== "websocket")
    return false;
  // Node does not parse the body of an upgraded request: the route would wait for it forever.
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}
