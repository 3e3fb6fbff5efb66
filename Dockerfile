# The command line as an image, for `serve`, `gateway` and experiments on a cluster. It has no window and no browser, so
# it records no movies. docs/installing.md shows how it is built and run.
#
# The first stages build the npm packages of the program and of its addon from the sources, and the last stage has
# nothing but Node and what npm installs from these packages.
ARG RUST=1.95
ARG NODE=22

FROM node:${NODE}-bookworm-slim AS node

FROM rust:${RUST}-bookworm AS packages
COPY --from=node /usr/local/bin /usr/local/bin
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
# the command line needs no Electron, so its 100 MB are not downloaded
ENV ELECTRON_SKIP_BINARY_DOWNLOAD=1
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm run prebuilt -- --out /packages \
  && npm pack --pack-destination /packages . /packages/interleave-linux-*/

FROM node:${NODE}-bookworm-slim
# PNGs of figures draw their text with the system's fonts, and the image has none
RUN apt-get update && apt-get install --yes --no-install-recommends fonts-dejavu-core && rm -r /var/lib/apt/lists/*
WORKDIR /opt/interleave
COPY --from=packages /packages/*.tgz /tmp/packages/
RUN echo '{"private": true}' > package.json \
  && npm install --no-audit --no-fund /tmp/packages/*.tgz \
  && npm cache clean --force && rm -r /tmp/packages
ENV PATH=/opt/interleave/node_modules/.bin:$PATH
# nothing here needs root; files are read and written in /work, which `docker run --volume` provides
USER node
WORKDIR /work
EXPOSE 9899/tcp 9899/udp 9900/tcp 9900/udp 9901/udp
ENTRYPOINT ["interleave"]
CMD ["--help"]
