import { createServer } from "node:http";
import { PgSimplifyInflectionPreset } from "@graphile/simplify-inflection";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { announce, readSettings, tenantOf } from "./peer-process.js";

/** PostGraphile 5 in library mode with the presets that its documentation recommends, on Node.js' HTTP server. */
const settings = readSettings();
const { user, password, host, port, database } = settings.connection;
const connectionString = `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;

const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PgSimplifyInflectionPreset],
  pgServices: [
    makePgService({ connectionString, schemas: ["public"], poolConfig: { max: settings.poolSize } }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: {
    explain: false,
    context(request) {
      if (!tenantOf(settings, request.node?.req.headers.authorization))
        throw new Error("The API key is missing or unknown.");
      return {};
    },
  },
  schema: { defaultBehavior: "list" },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => announce(server));
