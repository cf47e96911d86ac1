import { useContext, useEffect, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import { pageData } from "../api/page-data.js";
import { signInAsPerson } from "../api/session-api.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { NavigationContext } from "../routing/navigation.js";
import { hashOf, parseSignIn } from "../routing/route.js";
import { useSession } from "../session/session.js";

/** Asks before a link, which may be another site's, opens another account than that of the session. Other links open their page. */
export function SwitchAccountPage() {
  const { route: current, replace } = useContext(NavigationContext);
  const { accountName } = useSession().viewer;
  const [failure, setFailure] = useState<Failure | null>(null);
  const { account, route } = parseSignIn(current) ?? { account: undefined, route: hashOf([]) };
  const isOther =
    pageData.identity_provider !== undefined && account !== undefined && account !== accountName;
  useEffect(() => {
    if (!isOther) replace(route);
  }, [isOther, route, replace]);
  if (!isOther) return null;
  return (
    <Page title="Switch to another account?">
      <div className="card">
        <p>
          This link opens the account <code>{account}</code>. You are signed in to <code>{accountName}</code>.
        </p>
        <p className="fine">Stay if you do not know where the link comes from.</p>
        <Problem failure={failure} />
        <div className="actions">
          <button
            type="button"
            className="primary"
            onClick={() =>
              void signInAsPerson({ account, route }).catch((error: unknown) => setFailure(toFailure(error)))
            }
          >
            Switch account
          </button>
          <button type="button" onClick={() => replace(hashOf([]))}>
            Stay
          </button>
        </div>
      </div>
    </Page>
  );
}
