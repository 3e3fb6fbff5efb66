import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, openSync, readFileSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Certificates} from './certificate.ts';

export type Protocol = 'h1' | 'h2' | 'h3';

/**
 * A real web server. Its settings are the defaults, with these exceptions: It offers no newer version of HTTP than the
 * load uses. It does not compress. nginx and h2o have one worker process or thread, and Apache begins with one process.
 * Pages of other hosts may use its fonts and module scripts (Fetch §3.3.3). Without this permission, browsers refuse
 * such a file when they have received the header of its response.
 */
export interface RealServer {
  /** The name of the model of this server, which computed loads use. */
  readonly name: 'nginx' | 'caddy' | 'caddy-2.11' | 'h2o' | 'apache';
  readonly protocols: readonly Protocol[];
  /** The name of the program. It is looked up in PATH and in /usr/sbin. */
  readonly program: string;
  /** The argument with which the program prints its version. */
  readonly version: string;
  /** Writes what the server needs into its folder, and returns the arguments with which it stays in the foreground. */
  readonly prepare: (folder: string, serving: Serving) => readonly string[];
}

/** What a server serves: the folder `root`, for all host names, at port 443. */
export interface Serving {
  readonly address: string;
  readonly root: string;
  /** The newest version of HTTP that the server offers. It may offer older ones, too. */
  readonly protocol: Protocol;
  readonly certificates: Certificates;
  /** An HTTP server to which requests are forwarded, in place of `root`. Only nginx and Caddy can do this. */
  readonly upstream?: string;
}

export const REAL_SERVERS: readonly RealServer[] = [
  {
    name: 'nginx',
    protocols: ['h1', 'h2'],
    program: 'nginx',
    version: '-v',
    prepare: (folder, {address, root, protocol, certificates: {certificate, key}, upstream}) => {
      const forward = upstream === undefined ? '' : `location / { proxy_pass ${upstream}; proxy_buffering on; }`;
      writeFileSync(
        join(folder, 'nginx.conf'),
        `user root; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
worker_processes 1; events { worker_connections 768; }
http {
  sendfile on; tcp_nopush on; types_hash_max_size 2048; access_log off; gzip off;
  include /etc/nginx/mime.types; default_type application/octet-stream;
  ssl_protocols TLSv1.2 TLSv1.3;
  server {
    listen ${address}:443 ssl${protocol === 'h2' ? ' http2' : ''};
    ssl_certificate ${certificate}; ssl_certificate_key ${key}; root ${root};
    add_header Access-Control-Allow-Origin *;
    ${forward}
  }
}
`,
      );
      return ['-p', folder, '-c', join(folder, 'nginx.conf')];
    },
  },
  caddy('caddy', 'caddy'),
  caddy('caddy-2.11', 'caddy-2.11'),
  {
    name: 'h2o',
    protocols: ['h1', 'h2'],
    program: 'h2o',
    version: '--version',
    prepare: (folder, {address, root, protocol, certificates: {certificate, key}}) => {
      writeFileSync(
        join(folder, 'h2o.conf'),
        `user: root
num-threads: 1
listen:
  host: ${address}
  port: 443
  ssl:
    certificate-file: ${certificate}
    key-file: ${key}
    minimum-version: TLSv1.2${protocol === 'h1' ? '\n    npn: off\n    alpn: off' : ''}
hosts:
  default:
    paths:
      "/":
        file.dir: ${root}
        header.add: "access-control-allow-origin: *"
`,
      );
      return ['-c', join(folder, 'h2o.conf')];
    },
  },
  {
    name: 'apache',
    protocols: ['h1', 'h2'],
    program: 'apache2',
    version: '-v',
    prepare: (folder, {address, root, protocol, certificates: {certificate, key}}) => {
      const modules = ['mpm_event', 'authz_core', 'dir', 'headers', 'mime', 'socache_shmcb', 'ssl', 'http2'];
      writeFileSync(
        join(folder, 'apache.conf'),
        `ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
${modules.map(name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
TypesConfig /etc/mime.types
DirectoryIndex index.html
User www-data
Group www-data
StartServers 1
ServerName interleave
Listen ${address}:443
SSLSessionCache shmcb:${folder}/sessions(512000)
<VirtualHost ${address}:443>
  Protocols ${protocol === 'h2' ? 'h2 ' : ''}http/1.1
  DocumentRoot ${root}
  SSLEngine on
  SSLCertificateFile ${certificate}
  SSLCertificateKeyFile ${key}
</VirtualHost>
<Directory ${root}>
  Require all granted
  Header set Access-Control-Allow-Origin *
</Directory>
`,
      );
      return ['-DFOREGROUND', '-f', join(folder, 'apache.conf')];
    },
  },
];

/**
 * Describes Caddy. Debian has version 2.6. The newest version is built by `go install
 * github.com/caddyserver/caddy/v2/cmd/caddy@latest`. It must be in PATH under the name `caddy-2.11`.
 */
function caddy(name: 'caddy' | 'caddy-2.11', program: string): RealServer {
  return {
    name,
    protocols: ['h1', 'h2', 'h3'],
    program,
    version: 'version',
    prepare: (folder, {address, root, protocol, certificates: {certificate, key}, upstream}) => {
      // Chromium does not assume that an HTTP/3 server supports priorities until a response has named the HTTP/3
      // service (Alt-Svc). Public sites name it in responses over HTTP/2. Here HTTP/3 is forced, so there are no such
      // responses. Without this header, Chromium would limit requests as for HTTP/1.1.
      const service = protocol === 'h3' ? '\n  header Alt-Svc `h3=":443"; ma=3600`' : '';
      const others = {h1: 'h1', h2: 'h1 h2', h3: 'h1 h2 h3'}[protocol];
      writeFileSync(
        join(folder, 'Caddyfile'),
        `{
  admin off
  auto_https off
  servers {
    protocols ${others}
  }
}
https://:443 {
  bind ${address}
  tls ${certificate} ${key}
  root * ${root}${service}
  header Access-Control-Allow-Origin *
  ${upstream === undefined ? 'file_server' : `reverse_proxy ${upstream}`}
}
`,
      );
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  };
}

/** The path of a program, or undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const {status, stdout} = spawnSync('sh', ['-c', 'PATH="$PATH:/usr/sbin" command -v "$0"', name], {encoding: 'utf8'});
  return status === 0 ? stdout.trim() : undefined;
}

/** Returns the first version number that the program prints, or `unknown`. */
export function versionOf(program: string, argument: string): string {
  const {stdout, stderr} = spawnSync(findProgram(program) ?? program, [argument], {encoding: 'utf8'});
  return /\d+\.\d+[\w.+-]*/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown';
}

export interface RunningServer {
  stop(): Promise<void>;
}

/**
 * Starts a server with a higher real-time priority than the path and the browser have, and waits until it accepts
 * connections. @throws Error if the program is not installed, or with its output if it does not start
 */
export async function startRealServer(server: RealServer, folder: string, serving: Serving): Promise<RunningServer> {
  mkdirSync(folder, {recursive: true});
  const program = findProgram(server.program);
  if (program === undefined) throw new Error(`${server.program} is not installed`);
  const log = openSync(join(folder, 'output.log'), 'a');
  // On the Internet, a server shares no processor with the path and the browser, so here it has a higher priority than
  // they have. If the path had the higher priority, Caddy 2.6 would read the first two packets of a QUIC client in one
  // go and drop the second.
  const args = ['-f', '6', program, ...server.prepare(folder, serving)];
  const child = spawn('chrt', args, {stdio: ['ignore', log, log], env: {...process.env, HOME: folder}, detached: true});
  for (let tries = 0; !(await accepts(serving.address)); tries++) {
    if (child.exitCode === null && tries < 100) await sleep(100);
    else
      throw new Error(
        `${server.name} does not start: ${readFileSync(join(folder, 'output.log'), 'utf8').slice(-2000)}`,
      );
  }
  return {stop: () => stop(child)};
}

function accepts(address: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(443, address);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Ends the server and the processes that it has started. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await Promise.race([ended, sleep(3000)]);
  if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
}
