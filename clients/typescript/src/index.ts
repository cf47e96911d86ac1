export type { ApiKey, ApiKeyListOptions, ApiKeys } from "./api-keys.js";
export type { DeletionResult, RotateTokensOptions, RotationResult } from "./bulk-edits.js";
export { type SubscribeOptions, UserGroupsClient } from "./client.js";
export type { DataSource, DataSourceListOptions, DataSources } from "./data-sources.js";
export type { TypedDocument } from "./document.js";
export {
  type CreateEmbedSession,
  type CreateTemplateSession,
  type EmbedSession,
  type EmbedSessionVerification,
  EmbedSessionVerificationError,
  type TemplateSession,
  type VerifiedEmbedSession,
  verifyEmbedSession,
} from "./embed-sessions.js";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type FieldError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceError,
  TimeoutError,
  UnexpectedReplyError,
  type UserError,
  UserGroupsError,
} from "./errors.js";
export type {
  ApiKeyFilter,
  ApiKeyOrder,
  CreateApiKeyInput,
  CreateDataSourceInput,
  CreateSessionTemplateInput,
  CreateWebhookEndpointInput,
  DataSourceBy,
  DataSourceFilter,
  DataSourceOrder,
  DeleteSessionTemplateInput,
  DeleteSiteConfigInput,
  PutSiteConfigInput,
  UpdateDataSourceInput,
  UpdateSessionTemplateInput,
  UpdateWebhookEndpointInput,
  UserGroupBy,
  UserGroupFilter,
  UserGroupOrder,
  WebhookDeliveryFilter,
  WebhookEndpointFilter,
} from "./generated/operations.js";
export type { KeySet } from "./key-set-cache.js";
export type {
  CallInfo,
  CallOptions,
  ClientOptions,
  DeletionOptions,
  RequestInfo,
  RetryInfo,
} from "./options.js";
export type { PropertySchema, StoredPropertySchema } from "./property-schema.js";
export { type RateLimit, type ResponseInfo, responseOf } from "./response.js";
export type { SessionTemplate, SessionTemplates } from "./session-templates.js";
export {
  InvalidSiteConfigError,
  type ListedSiteConfig,
  type SiteConfig,
  type SiteConfigReport,
  type SiteConfigs,
} from "./site-configs.js";
export type { Mapping, UpsertResult, UserGroupUpsert } from "./upserts.js";
export type { Properties, UserGroup } from "./user-group.js";
export type {
  DeleteUserGroup,
  FoundUserGroup,
  GetOrCreateUserGroup,
  RotateUserGroupToken,
  UpdateUserGroup,
  UserGroupWithToken,
} from "./user-group-calls.js";
export type { UserGroupEvent } from "./user-group-watch.js";
export type { UserGroupListOptions, UserGroups } from "./user-groups.js";
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError,
} from "./webhook.js";
export type {
  IssuedWebhookSecret,
  WebhookDelivery,
  WebhookDeliveryListOptions,
  WebhookEndpoint,
  WebhookEndpointListOptions,
  Webhooks,
} from "./webhooks.js";
