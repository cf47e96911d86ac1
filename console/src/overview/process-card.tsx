import { useQuery } from "@tanstack/react-query";
import { fetchProcessStatus } from "../api/process-status.js";
import { Time } from "../parts/time.js";
import { useSession } from "../session/session.js";

const MAX_ERRORS = 4;

/** Requests and errors of the process that answered. */
export function ProcessCard() {
  const { environment } = useSession();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["process status"],
    queryFn: ({ signal }) => fetchProcessStatus(environment, signal),
  });
  return (
    <section className="card" aria-labelledby="process">
      <h2 id="process">API requests</h2>
      <p className="fine">
        All accounts, in this server process
        {data && (
          <>
            , since it started{" "}
            <Time at={new Date(dataUpdatedAt - data.uptime_seconds * 1000).toISOString()} isRelative />
          </>
        )}
        .
      </p>
      {data && (
        <>
          <dl className="figures">
            <Figure label="Requests" value={data.requests} />
            <Figure label="Client errors (4xx)" value={data.client_errors} />
            <Figure label="Server errors (5xx)" value={data.server_errors} />
          </dl>
          {data.errors.length > 0 && (
            <>
              <h3>Errors by code</h3>
              <p className="fine">Including those in GraphQL replies with status 200.</p>
              <ul className="rows">
                {data.errors.slice(0, MAX_ERRORS).map(({ code, count }) => (
                  <li key={code}>
                    <code>{code}</code>
                    <span>{count.toLocaleString()}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number | undefined;
  /** Link to what is counted. */
  readonly href?: string;
}

export function Figure({ label, value, href }: FigureProps) {
  const text = value === undefined ? "–" : value.toLocaleString();
  return (
    <div>
      <dt>{label}</dt>
      <dd>{href === undefined ? text : <a href={href}>{text}</a>}</dd>
    </div>
  );
}
