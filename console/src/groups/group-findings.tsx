import { type ReactNode, useState } from "react";
import {
  EmbedCheckDocument,
  type EmbedCheckQuery,
  TemplateClaimsDocument,
} from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { Loaded } from "../parts/loaded.js";
import { plural } from "../parts/plural.js";
import { Problem } from "../parts/problem.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useScope, useSession } from "../session/session.js";
import { useAction } from "../session/use-action.js";
import { useQuery } from "../session/use-query.js";

/** Why the pages of a group may be empty: its mapping, deleted data sources and templates that refuse it. */
export function GroupFindings({ providedId }: { readonly providedId: string }) {
  const isAdmin = useScope("ADMIN");
  const query = useQuery(EmbedCheckDocument, { by: { providedId }, isAdmin });
  return (
    <Loaded query={query}>
      {(data) => {
        const { userGroup, auditLog, sessionTemplates } = data;
        if (!userGroup)
          return (
            <Finding state="bad">
              This environment has no group with the external ID <code>{providedId}</code>.
            </Finding>
          );
        const templates = sessionTemplates?.nodes ?? [];
        return (
          <>
            {userGroup.propertyErrors.length > 0 && (
              <Finding state="warning">
                Its properties violate the <a href={hashOf(["property-schema"])}>property schema</a>:{" "}
                {userGroup.propertyErrors.map(({ message }) => message).join(" ")}
              </Finding>
            )}
            <MappingFindings data={data} href={hashOf(["groups", providedId])} />
            {auditLog?.nodes.map(({ id, subjectName, actorName, createdAt }) => (
              <Finding key={id} state="warning">
                The data source <strong>{subjectName}</strong> was deleted by {actorName},{" "}
                <Time at={createdAt} isRelative />. Pages that still ask for it get no data.
              </Finding>
            ))}
            {templates.length > 0 && (
              <TemplateFindings key={userGroup.id} providedId={providedId} templates={templates} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface MappingFindingsProps {
  readonly data: EmbedCheckQuery;
  /** The group's page. */
  readonly href: string;
}

function MappingFindings({ data: { userGroup, userGroups }, href }: MappingFindingsProps) {
  const mapped = new Set(userGroup?.mapping.map(({ schemaId }) => schemaId));
  const used = new Set(userGroups.nodes.flatMap(({ mapping }) => mapping.map(({ schemaId }) => schemaId)));
  const unmapped = [...used].filter((schemaId) => !mapped.has(schemaId));
  const link = <a href={href}>Map it on the group&apos;s page</a>;
  if (mapped.size === 0) {
    return (
      <Finding state="bad">
        No data source is mapped, so that every chart of {userGroup?.name} is empty. {link}
      </Finding>
    );
  }
  if (unmapped.length === 0) return <Finding state="good">{plural(mapped.size, "schema")} mapped.</Finding>;
  return (
    <Finding state="warning">
      Other groups map {unmapped.length === 1 ? "a schema" : "schemas"} that this one does not:{" "}
      <code>{unmapped.join(", ")}</code>. {link}
    </Finding>
  );
}

interface TemplateFindingsProps {
  readonly providedId: string;
  readonly templates: NonNullable<EmbedCheckQuery["sessionTemplates"]>["nodes"];
}

/** Which session templates refuse the group. On request: each is a call. */
function TemplateFindings({ providedId, templates }: TemplateFindingsProps) {
  const { client } = useSession();
  const [results, setResults] = useState<readonly { readonly name: string; readonly errors: UserErrors }[]>(
    [],
  );
  const check = useAction(async () => {
    const found: { name: string; errors: UserErrors }[] = [];
    for (const { name } of templates) {
      const { userGroup } = await client.call(TemplateClaimsDocument, { by: { providedId }, template: name });
      found.push({ name, errors: userGroup?.sessionClaims.errors ?? [] });
    }
    setResults(found);
  });
  return (
    <>
      {results.map(({ name, errors }) => (
        <Finding key={name} state={errors.length === 0 ? "good" : "bad"}>
          The dashboard tool <strong>{name}</strong>{" "}
          {errors.length === 0
            ? "gets its claims."
            : `refuses this group: ${errors.map(({ message }) => message).join(" ")}`}
        </Finding>
      ))}
      <Problem failure={check.failure} />
      <div className="actions">
        <button type="button" aria-disabled={check.isBusy} onClick={() => void check.run()}>
          Check dashboard tools
        </button>
      </div>
    </>
  );
}

const STATES = { good: "Fine", warning: "Look here", bad: "Cause" };

interface FindingProps {
  readonly state: keyof typeof STATES;
  readonly children: ReactNode;
}

export function Finding({ state, children }: FindingProps) {
  return (
    <p className="finding">
      <span className={`badge ${state}`}>{STATES[state]}</span> {children}
    </p>
  );
}
