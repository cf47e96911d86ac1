export {
  SITE_CONFIG_CODES,
  type SiteConfigCode,
  type SiteConfigFinding,
  type SiteConfigReport,
  type SiteConfigSeverity,
  withoutPositions,
} from "./findings.js";
export { SITE_CONFIG } from "./format.js";
export { type JsonSchema, siteConfigJsonSchema } from "./json-schema.js";
export {
  formsOf,
  type ObjectShape,
  type SettingProperty,
  type SettingShape,
  type SingleShape,
  type StringShape,
  type TypeName,
  typeOf,
  type UnionShape,
} from "./setting-shape.js";
export { type SiteConfigOptions, validateSiteConfig } from "./validate.js";
