# Any images with Node >= 20.19 and npm, with Go >= 1.26, and with Node >= 20.19 on Debian. These tags move: a release
# sets each of them to IMAGE@sha256:DIGEST (docs/security.md).
ARG NODE_IMAGE=node:22-bookworm
ARG GO_IMAGE=golang:1.26-bookworm
ARG SLIM_IMAGE=node:22-bookworm-slim
# The stage below, or an image with Node >= 20.19, git >= 2.37, ssh, certificates, and a user 65532.
ARG BASE_IMAGE=base
# The stage below, or an image that already has /out/helm and /out/kustomize: then Go is not needed.
ARG TOOLS_IMAGE=tools

FROM ${GO_IMAGE} AS tools
WORKDIR /src
COPY tools/kustomize tools/kustomize
COPY tools/sandbox tools/sandbox
ENV CGO_ENABLED=0
# Helm only knows its own version if the linker sets it.
RUN cd tools/sandbox && version="$(go list -m -f '{{.Version}}' helm.sh/helm/v4)" \
  && go build -trimpath -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=${version}" -o /out/helm helm.sh/helm/v4/cmd/helm
RUN cd tools/kustomize && go build -trimpath -ldflags "-s -w" -o /out/kustomize sigs.k8s.io/kustomize/kustomize/v5

FROM ${TOOLS_IMAGE} AS chosen-tools

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY api api
COPY lib lib
COPY runtime runtime
COPY engine engine
COPY controllers controllers
COPY manager manager
COPY queries queries
COPY console console
COPY cli cli
COPY sandbox sandbox
COPY config config
RUN npm run -s build && npm prune --omit=dev --ignore-scripts

FROM ${SLIM_IMAGE} AS base
# What the controller runs besides helm and kustomize: git, and ssh, which needs a user with a name.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /opt/yarn* \
  && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && groupadd --gid 65532 fairlead \
  && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin fairlead

FROM ${BASE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=chosen-tools /out/helm /out/kustomize /usr/local/bin/
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/config config
USER 65532:65532
ENTRYPOINT ["node", "dist/cli/main.js", "controller"]
