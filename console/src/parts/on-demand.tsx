import { useEffect, useState } from "react";
import { Failure } from "../api/failure.js";
import { Problem } from "./problem.js";

interface OnDemandProps<Props extends object> {
  readonly load: () => Promise<(props: Props) => React.ReactNode>;
  readonly props: Props;
  readonly placeholder?: React.ReactNode;
}

/** Renders a component once its module has loaded. */
export function OnDemand<Props extends object>({ load, props, placeholder }: OnDemandProps<Props>) {
  const [Loaded, setLoaded] = useState<((props: Props) => React.ReactNode) | null>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (component) => isCurrent && setLoaded(() => component),
      () => isCurrent && setMissing(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  if (isMissing) {
    return (
      <Problem failure={new Failure("A part of the page could not be loaded.", "NETWORK", null)}>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Problem>
    );
  }
  return Loaded ? <Loaded {...props} /> : placeholder;
}
