# Any images with Node >= 20.19 and npm, with Go >= 1.26, and with Node >= 20.19 and git >= 2.37.
ARG NODE_IMAGE=node:22-bookworm
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=node:22-bookworm
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

# The base provides Node and git; nothing is installed into it.
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
