import { useEffect, useRef, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import type { UpdateUserGroupsInput } from "../api/generated/operations.js";
import { Choice } from "../parts/choice.js";
import { Dialog } from "../parts/dialog.js";
import { Field, TextField } from "../parts/field.js";
import { plural } from "../parts/plural.js";
import { Problem } from "../parts/problem.js";
import { useSession } from "../session/session.js";
import { type BulkJob, newJob } from "./bulk-jobs.js";
import { BulkRunDialog } from "./bulk-run-dialog.js";
import { NO_PREVIEW, type Preview, previewChange, type Target } from "./change-preview.js";
import { DataSourceField } from "./data-source-picker.js";
import {
  NO_PROPERTY,
  PropertyName,
  type TypedProperty,
  TypedValueFields,
  toJson,
  usePropertySample,
} from "./typed-value.js";
import { jsonValue, typedTextOf } from "./value-text.js";

export type ChangedGroups = Pick<UpdateUserGroupsInput, "userGroups" | "filter" | "all" | "expectedCount">;

interface ChangeGroupsProps {
  readonly groups: ChangedGroups;
  readonly total: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const ACTIONS = {
  set: "Set a property",
  remove: "Remove a property",
  map: "Map a schema to a data source",
  unmap: "Remove a schema from the mapping",
} as const;
type Action = keyof typeof ACTIONS;

const MAX_FORMERS = 8;

/** Makes the same change to many groups, after a preview of what will change. */
export function ChangeGroups({ groups: shownGroups, total: shownTotal, onClose, onDone }: ChangeGroupsProps) {
  // Those of the moment at which the dialog was opened: after the change, the list may have none of them.
  const [{ groups, total }] = useState({ groups: shownGroups, total: shownTotal });
  const [action, setAction] = useState<Action>("set");
  const [property, setProperty] = useState(NO_PROPERTY);
  const [schemaId, setSchemaId] = useState("");
  const [dataSource, setDataSource] = useState("");
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [job, setJob] = useState<BulkJob | null>(null);
  /** What was previewed last. */
  const latest = useRef<{ readonly change: UpdateUserGroupsInput } | null>(null);
  const { client } = useSession();
  const sample = usePropertySample();
  const isMapping = action === "map" || action === "unmap";
  useEffect(
    () => () => {
      latest.current = null;
    },
    [],
  );
  const json = toJson(sample, property);
  const value: unknown = "json" in json ? jsonValue(json.json) : undefined;
  const change: UpdateUserGroupsInput = {
    ...groups,
    ...{
      set: { propertiesPatch: { [property.name]: value } },
      remove: { propertiesPatch: { [property.name]: null } },
      map: { setMapping: [{ schemaId, dataSource }] },
      unmap: { removeMapping: [schemaId] },
    }[action],
  };
  const after = { set: typedTextOf(value), remove: "removed", map: dataSource, unmap: "removed" }[action];

  /** Previews the change until the form is edited or the dialog is closed. */
  async function run() {
    const target: Target = isMapping ? { schemaId } : { property: property.name };
    const attempt = { change };
    latest.current = attempt;
    setBusy(true);
    setFailure(null);
    setPreview(NO_PREVIEW);
    try {
      for await (const next of previewChange(client, change, target)) {
        if (latest.current !== attempt) return;
        setPreview(next);
      }
    } catch (error) {
      setPreview(null);
      setFailure(toFailure(error));
    } finally {
      if (latest.current === attempt) setBusy(false);
    }
  }
  function edit(next: () => void) {
    latest.current = null;
    setBusy(false);
    setPreview(null);
    next();
  }
  if (job) return <BulkRunDialog job={job} onClose={onClose} onDone={onDone} />;
  const isReady = preview?.isEnded === true && preview.errors.length === 0;
  const isEmpty = isReady && preview.changed === 0;
  return (
    <Dialog title={`Change ${plural(total, "group")}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy || isEmpty) return;
          if (isReady) setJob(newJob(latest.current?.change ?? change, total));
          else void run();
        }}
      >
        <Field label="Change">
          {(control) => (
            <Choice
              {...control}
              choices={ACTIONS}
              value={action}
              onChange={(chosen) => edit(() => setAction(chosen))}
            />
          )}
        </Field>
        {isMapping ? (
          <TextField
            label="Schema"
            spellCheck={false}
            value={schemaId}
            onChange={(text) => edit(() => setSchemaId(text))}
          />
        ) : (
          <Field label="Property">
            {(control) => (
              <PropertyName
                {...control}
                sample={sample}
                value={property.name}
                onChange={(name) => edit(() => setProperty({ name, text: property.text }))}
              />
            )}
          </Field>
        )}
        {action === "set" && (
          <Field label="Value" hint="The type is that of the property in other groups.">
            {(control) => (
              <TypedValueFields
                control={control}
                property={property}
                sample={sample}
                refuse={refuse}
                onChange={(next: TypedProperty) => edit(() => setProperty(next))}
              />
            )}
          </Field>
        )}
        {action === "map" && (
          <Field label="Data source">
            {() => (
              <DataSourceField
                label="Data source"
                value={dataSource}
                onChange={(next) => edit(() => setDataSource(next))}
              />
            )}
          </Field>
        )}
        <div role="status">
          {isBusy && (
            <p>
              <progress aria-label="Preview" value={preview?.done ?? 0} max={total} />{" "}
              {(preview?.done ?? 0).toLocaleString()} of {total.toLocaleString()}
            </p>
          )}
          {isReady && <Summary preview={preview} after={after} />}
        </div>
        <Problem failure={failure} errors={preview?.errors ?? []} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={isBusy || isEmpty}>
            {isReady && !isEmpty ? `Change ${plural(preview.changed, "group")}` : "Preview"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** As a patch, null would remove the property. */
function refuse(json: string): string | undefined {
  return json.trim() === "null" ? "Choose “Remove a property” to remove it." : undefined;
}

interface SummaryProps {
  readonly preview: Preview;
  /** The new value. */
  readonly after: string;
}

/** What would change: the number of groups by their former value. */
function Summary({ preview: { done, changed, refused, formers }, after }: SummaryProps) {
  const equal = done - changed - refused.length;
  const sorted = [...formers].toSorted(([, a], [, b]) => b - a);
  const others = sorted.slice(MAX_FORMERS).reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <p>
        {changed === 0 ? "No group would change" : `${plural(changed, "group")} would change`}
        {equal > 0 && `, ${equal.toLocaleString()} already ${equal === 1 ? "has" : "have"} this value`}
        {refused.length > 0 && `, ${refused.length.toLocaleString()} refused`}.
      </p>
      {sorted.length > 0 && (
        <ul className="formers">
          {sorted.slice(0, MAX_FORMERS).map(([former, count]) => (
            <li key={former}>
              <span>{former}</span> → <strong>{after}</strong>: {count.toLocaleString()}
            </li>
          ))}
          {others > 0 && <li>other values: {others.toLocaleString()}</li>}
        </ul>
      )}
      {refused[0] && (
        <p className="error">
          {refused[0].name}: {refused[0].message}
        </p>
      )}
    </>
  );
}
