import { useEffect, useState } from "react";
import { toFailure } from "../api/failure.js";
import { Problem } from "./problem.js";

interface OnDemandProps<Props extends object> {
  readonly load: () => Promise<(props: Props) => React.ReactNode>;
  readonly props: Props;
  readonly placeholder?: React.ReactNode;
}

/** Renders a component once its module has loaded. */
export function OnDemand<Props extends object>({ load, props, placeholder }: OnDemandProps<Props>) {
  const [Loaded, setLoaded] = useState<((props: Props) => React.ReactNode) | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (component) => isCurrent && setLoaded(() => component),
      (reason: unknown) => isCurrent && setError(reason),
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  if (error !== null) {
    return (
      <Problem failure={toFailure(error)}>
        <p>A part of the page could not be loaded. Reload the page to try again.</p>
      </Problem>
    );
  }
  return Loaded ? <Loaded {...props} /> : placeholder;
}
