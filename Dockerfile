# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
# Copies only the packages that the server needs at run time, without the embedded PostgreSQL and the npm package of Node.js.
RUN npx --yes pnpm@12.21.0 --filter @companion/server deploy --prod --no-optional /companion

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/tmp/companion NODE_COMPILE_CACHE=/tmp/compiled
WORKDIR /companion
COPY --from=build --chown=root:root /companion .
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# PID 1 is Node itself, so SIGTERM reaches it and it finishes requests in flight.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve", "--workers", "auto"]
