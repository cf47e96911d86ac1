import type { SecretEncoding, SessionAlgorithm, TemplatePartsFragment } from "../api/generated/operations.js";
import { isObject } from "../parts/is-object.js";
import { originOf } from "../parts/origin-of.js";
import type { Preset } from "./presets.js";

/** The fields of a session template as they are typed. */
export interface TemplateDraft {
  readonly name: string;
  readonly description: string;
  readonly algorithm: SessionAlgorithm;
  /** Empty to keep the secret that the service has. */
  readonly secret: string;
  readonly secretEncoding: SecretEncoding;
  readonly kid: string;
  readonly iss: string;
  /** JSON. */
  readonly claims: string;
  readonly lifetimeSeconds: string;
  /** Empty for none. */
  readonly url: string;
}

const EMPTY: TemplateDraft = {
  name: "",
  description: "",
  algorithm: "ES256",
  secret: "",
  secretEncoding: "TEXT",
  kid: "",
  iss: "",
  claims: '{\n  "sub": "{{ userGroup.providedId }}"\n}',
  lifetimeSeconds: "600",
  url: "",
};

/** @param preset undefined for a tool without one */
export function draftOfPreset(name: string, preset: Preset | undefined): TemplateDraft {
  if (!preset) return EMPTY;
  const { description, algorithm, claims, lifetimeSeconds, url = "" } = preset;
  return { ...EMPTY, name, description, algorithm, url, ...texts(claims, lifetimeSeconds) };
}

export function draftOf(template: TemplatePartsFragment): TemplateDraft {
  const { name, description, algorithm, header, claims, lifetimeSeconds, url } = template;
  const { kid = "", iss = "" } = isObject(header) ? header : {};
  const names = { kid: String(kid), iss: String(iss), url: url ?? "" };
  return { ...EMPTY, name, description, algorithm, ...names, ...texts(claims, lifetimeSeconds) };
}

function texts(claims: unknown, lifetimeSeconds: number) {
  return { claims: JSON.stringify(claims, null, 2), lifetimeSeconds: String(lifetimeSeconds) };
}

/** Returns the input of the mutations, apart from the URL, which only an update can remove. */
export function toInput(draft: TemplateDraft, claims: object) {
  const { name, description, algorithm, secret, secretEncoding, kid, iss, lifetimeSeconds } = draft;
  const isShared = algorithm === "HS256";
  return {
    name,
    description,
    algorithm,
    claims,
    lifetimeSeconds: Number(lifetimeSeconds),
    header: isShared ? { ...(kid && { kid }), ...(iss && { iss }) } : {},
    ...(isShared && secret !== "" && { secret, secretEncoding }),
  };
}

/** Returns whether the secret must be sent (again): the tool that may know it is another one. */
export function needsSecret(draft: TemplateDraft, saved: TemplatePartsFragment | undefined): boolean {
  if (draft.algorithm !== "HS256") return false;
  const origin = originOf(draft.url);
  return saved?.algorithm !== "HS256" || (origin !== null && origin !== originOf(saved.url));
}
