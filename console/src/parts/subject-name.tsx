import type { AuditAction } from "../api/generated/operations.js";
import { hashOf } from "../routing/route.js";

const SECTIONS = [
  ["USER_GROUP", "groups"],
  ["SITE", "sites"],
] as const;

interface SubjectNameProps {
  readonly action: AuditAction;
  /** The object's global ID. */
  readonly id: string;
  readonly name: string;
  /** Shown in place of the name. */
  readonly label?: string;
}

/** The name of the object of an audit entry, which links to its page if it has one. */
export function SubjectName({ action, id, name, label = name }: SubjectNameProps) {
  const page = pageOf(action, id, name);
  const shown = { className: "subject-name", title: label };
  if (page === null) return <span {...shown}>{label}</span>;
  return (
    <a {...shown} href={page}>
      {label}
    </a>
  );
}

/** The page of an object; a deleted one has none. */
function pageOf(action: string, id: string, name: string): string | null {
  if (action.endsWith("_DELETED")) return null;
  if (action.startsWith("WEBHOOK")) return hashOf(["webhooks", id]);
  if (action.startsWith("SESSION_TEMPLATE")) return hashOf(["dashboard-tools", id]);
  const section = SECTIONS.find(([prefix]) => action.startsWith(prefix));
  return section ? hashOf([section[1], name]) : null;
}
