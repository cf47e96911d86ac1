import { FLAG, TEXT, TEXT_OR_TEXTS } from "./setting-parts.js";
import type { SettingProperty } from "./setting-shape.js";

export const API: SettingProperty = {
  shape: {
    kind: "object",
    typed: { name: "Api", description: "The API reference." },
    properties: {
      baseUrl: {
        shape: TEXT_OR_TEXTS,
        description: "Base address of the API; of several, the viewer picks one.",
      },
      auth: {
        shape: {
          kind: "object",
          typed: { name: "ApiAuth", description: "Authentication in the API playground." },
          properties: {
            method: {
              shape: {
                kind: "string",
                values: ["bearer", "basic", "key"],
                typed: { name: "ApiAuthMethod", description: "How an API authenticates its callers." },
              },
              description: "How the API authenticates its callers.",
            },
            name: {
              shape: TEXT,
              description:
                "Name of the authentication parameter in the playground; for `basic` as `[usernameName]:[passwordName]`.",
            },
            inputPrefix: {
              shape: TEXT,
              description: "What the playground's authentication field begins with.",
            },
          },
        },
        description: "Authentication in the API playground.",
      },
      playground: {
        shape: {
          kind: "object",
          typed: { name: "ApiPlayground", description: "The API playground." },
          properties: {
            mode: {
              shape: {
                kind: "string",
                values: ["show", "simple", "hide"],
                typed: { name: "ApiPlaygroundMode", description: "How much of the API playground there is." },
              },
              default: "show",
              description: "Whether the playground is interactive, shows the endpoint only, or is hidden.",
            },
          },
        },
        description: "The API playground.",
      },
      maintainOrder: {
        shape: FLAG,
        deprecated: "it is announced to become the default behaviour",
        description: "Keeps the keys in the order of the OpenAPI file.",
      },
    },
  },
  description: "The API reference.",
};

export const OPENAPI: SettingProperty = {
  shape: TEXT_OR_TEXTS,
  description: "URL or relative path of the OpenAPI file, or several.",
};
