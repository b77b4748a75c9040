# The images of Gadget Code: `docker build --target web .` and `docker build --target drone .`
# What runs is one bundled file each: no node_modules, no dev dependencies, no source.

FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
RUN npm run build -- server frontend drone

FROM node:24-slim AS web
ENV NODE_ENV=production GADGET_HOST=0.0.0.0 GADGET_PORT=4180 GADGET_DATA_DIR=/data
RUN install -d -o node -g node -m 700 /data /enroll
WORKDIR /app
COPY --from=build /src/LICENSE ./
COPY --from=build /src/gadget-code/dist gadget-code/dist
COPY --from=build /src/gadget-code/frontend/dist gadget-code/frontend/dist
USER node
EXPOSE 4180
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GADGET_PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "gadget-code/dist/server.mjs"]

FROM node:24-slim AS drone
# What an agent works with. perl runs the supervisor that leaves no process behind.
RUN apt-get update && apt-get install -y --no-install-recommends build-essential ca-certificates git openssh-client perl procps python3 ripgrep && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production GADGET_WORKSPACES=/workspaces
RUN install -d -o node -g node -m 700 /data /enroll /workspaces
WORKDIR /app
COPY --from=build /src/LICENSE ./
COPY --from=build /src/gadget-drone/dist gadget-drone/dist
USER node
# Touched whenever the server answers a heartbeat.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["sh", "-c", "find /data/online -mmin -1 | grep -q ."]
ENTRYPOINT ["node", "gadget-drone/dist/gadget-drone.mjs", "--data", "/data"]
