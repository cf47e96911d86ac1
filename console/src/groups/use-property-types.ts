import { useMemo } from "react";
import { PropertyTypesDocument } from "../api/generated/operations.js";
import { useQuery } from "../session/use-query.js";
import { type PropertyTypes, readTypes } from "./property-types.js";

/** Returns what the environment's schema says about properties; nothing until it is loaded, and while it is off. */
export function usePropertyTypes(isEnabled = true): PropertyTypes {
  const { data } = useQuery(PropertyTypesDocument, {}, isEnabled);
  const { schema, mode } = data?.propertySchema ?? {};
  return useMemo(() => readTypes(mode === "OFF" ? null : schema), [schema, mode]);
}
