# The service, without development tools and without the embedded PostgreSQL: DATABASE_URL and ENCRYPTION_KEYS must be set.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
COPY packages/site-config/package.json packages/site-config/

FROM base AS build
# Private registry: --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json schema.graphql ./
COPY migrations migrations
COPY packages/site-config packages/site-config
COPY clients/typescript clients/typescript
COPY src src
COPY console console
COPY docs/integrations docs/integrations
RUN npm run build
COPY docs/package.json docs/package-lock.json docs/
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm --prefix docs ci --ignore-scripts --no-audit --no-fund
COPY scripts/install-packages.js scripts/
COPY docs docs
COPY bench/README.md bench/results.md bench/
COPY deploy deploy
COPY schema-changes schema-changes
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md openapi.json schema-subgraph.graphql ./
RUN npm run docs:build

FROM base AS dependencies
# The binaries of PostgreSQL are the only optional packages.
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund --omit=dev --omit=optional

COPY scripts/licences.js scripts/
RUN npm run -s licences > licences.txt

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="user-groups" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.description="User groups for embedded dashboards: a REST contract and a GraphQL API"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
# The size in Node.js 20; the default of Node.js 24 takes 170 MB more under load (docs/performance.md).
ENV NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
# Owned by root, so that the service cannot modify itself; it writes nothing.
COPY package.json LICENSE ./
COPY --from=dependencies /app/licences.txt ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/packages packages
COPY --from=build /app/clients clients
COPY --from=build /app/dist dist
# Numeric, so that Kubernetes can verify that it is not root.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
# Checks the process, not the database, which a restart would not fix. Load balancers use /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Exec form, so that signals reach the service. Replace "serve" to run commands such as "migrate up".
ENTRYPOINT ["node", "dist/src/cli.js"]
CMD ["serve"]
