# The service, without development tools and without the embedded PostgreSQL: DATABASE_URL and ENCRYPTION_KEYS must be set.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json ./
# The client package, which the lock file names, is no part of the service: --workspaces=false leaves it out.
COPY clients/typescript/package.json clients/typescript/

FROM base AS build
# A registry of your own: --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund --workspaces=false
COPY tsconfig.json tsconfig.build.json schema.graphql ./
COPY migrations migrations
COPY src src
COPY console console
RUN npm run build

FROM base AS dependencies
# The binaries of PostgreSQL are the only optional packages.
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund --workspaces=false --omit=dev --omit=optional

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="user-groups" \
      org.opencontainers.image.description="User groups for embedded dashboards: a REST contract and a GraphQL API"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
# Root's, so that the service cannot change itself; it writes nothing at all.
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
# Whether the process answers, not whether the database does: to start it anew would not mend that. Balancers ask /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell between: signals reach the service. Commands such as "migrate up" go in the place of "serve".
ENTRYPOINT ["node", "dist/src/cli.js"]
CMD ["serve"]
