import { useId } from "react";
import type { PropertyReportPartsFragment } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { plural } from "../parts/plural.js";
import { hashOf } from "../routing/route.js";

interface ReportListProps {
  readonly report: PropertyReportPartsFragment;
  /** Whether it is of a schema that is not saved. */
  readonly isOfDraft: boolean;
  /** Called with the cursor after which to search further groups; undefined if that cannot be. */
  readonly onContinue: ((cursor: string) => void) | undefined;
}

/** The groups that violate a schema. */
export function ReportList({ report, isOfDraft, onContinue }: ReportListProps) {
  const id = useId();
  const { nodes, invalid, endCursor } = report;
  return (
    <section className="card findings" aria-labelledby={id}>
      <h2 id={id}>{isOfDraft ? "With your changes" : "Invalid groups"}</h2>
      <p role="status">{invalidText(report)}</p>
      <ul>
        {nodes.map(({ userGroup: { providedId, name }, errors }) => (
          <li key={providedId} className="finding">
            <a href={hashOf(["groups", providedId])}>{name}</a>
            <ErrorMessages errors={errors} />
          </li>
        ))}
      </ul>
      {invalid > nodes.length && <p className="fine">The first {nodes.length} are shown.</p>}
      {endCursor !== null && onContinue && (
        <p className="actions">
          <button type="button" onClick={() => onContinue(endCursor)}>
            Check further groups
          </button>
        </p>
      )}
    </section>
  );
}

/** What the properties of a group violate; nothing if they are valid. */
export function PropertyErrors({ errors }: { readonly errors: UserErrors }) {
  if (errors.length === 0) return null;
  return (
    <div className="callout">
      <p>
        These properties violate the <a href={hashOf(["property-schema"])}>property schema</a>:
      </p>
      <ErrorMessages errors={errors} />
    </div>
  );
}

function ErrorMessages({ errors }: { readonly errors: UserErrors }) {
  return errors.map(({ message }) => <p key={message}>{message}</p>);
}

/** Says how many groups violate the schema. */
export function invalidText({ checked, invalid, endCursor }: PropertyReportPartsFragment): string {
  if (checked === 0) return "There is no group to check.";
  const which = endCursor === null ? "all" : "the first";
  return invalid === 0
    ? `No invalid group among ${which} ${plural(checked, "group")}.`
    : `${invalid.toLocaleString()} of ${which} ${plural(checked, "group")} ${invalid === 1 ? "is" : "are"} invalid.`;
}
