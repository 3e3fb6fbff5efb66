import {test} from 'vitest';
import type {PageSnapshot} from '../app/page/page.ts';
import {parseScenario, type Scenario} from '../app/run/scenario/scenario.ts';
import {LiveLoad} from '../main/live/client/liveLoad.ts';
import {type LiveServer, startServer} from '../main/live/server/liveServer.ts';
import {openPage} from '../main/pages/openPage.ts';
import {isTiny} from './benchWindow.ts';

// Benches of live loads over loopback. They measure this machine, so results are comparable only within one run. Server
// and clients are one process, whose CPU time is measured. Clients record traces, as the clients of a window do.

const OBJECTS = 10;
/** The number of simultaneous clients, and the bytes of each object. */
const CROWDS = isTiny
  ? [
      [1, 10_000],
      [2, 10_000],
    ]
  : [
      [1, 1_000_000],
      [100, 30_000],
    ];
const LOADS_EACH = isTiny ? 1 : 3;
const TIME_LIMIT_MS = 30_000;

interface Way {
  readonly name: string;
  readonly pane: object;
  readonly path: (server: LiveServer) => object;
}

const WAYS: readonly Way[] = [
  {name: "the kernel's TCP", pane: {pipeline: 'tcp'}, path: () => ({})},
  {name: 'our TCP in UDP', pane: {pipeline: 'tcp'}, path: () => ({tcp: 'udp'})},
  {name: 'SCTP in UDP', pane: {pipeline: 'sctp', streams: OBJECTS}, path: () => ({})},
  {name: 'HTTP/3', pane: {pipeline: 'h3'}, path: ({quic}) => ({fingerprint: quic.fingerprint})},
];

test.each(CROWDS)('live, %i at once', async (clients = 0, objectBytes = 0) => {
  const document = {page: {synthetic: {objects: OBJECTS, objectBytes}}, timeLimitMs: TIME_LIMIT_MS};
  const page = await openPage(scenarioOf(document).page, 'fixtures/pages');
  for (const {name, pane, path} of WAYS) {
    const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
    try {
      const live = {live: `127.0.0.1:${server.port}`, ...path(server)};
      const scenario = scenarioOf({...document, path: live, panes: [pane]});
      // the first loads are not measured, because V8 compiles the code during them
      await crowd(page, scenario, Math.min(clients, 2));
      const each: Crowd[] = [];
      for (let left = LOADS_EACH; left > 0; left--) each.push(await crowd(page, scenario, clients));
      print(`${name}, ${clients} at once`, each);
    } finally {
      await server.close();
    }
  }
});

interface Crowd {
  readonly whole: number;
  readonly clients: number;
  readonly bytes: number;
  readonly cpuS: number;
  readonly wallS: number;
}

async function crowd(page: PageSnapshot, scenario: Scenario, clients: number): Promise<Crowd> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  const never = (): AbortSignal => new AbortController().signal;
  const runs = await Promise.all(
    Array.from({length: clients}, () => new LiveLoad(page, scenario, {signal: never()}).run()),
  );
  const {user, system} = process.cpuUsage(before);
  const panes = runs.flatMap(run => run.panes);
  const whole = panes.filter(({outcome}) => outcome === 'complete').length;
  const pageBytes = page.objects.reduce((sum, {body}) => sum + (body?.length ?? 0), 0);
  const wallS = (performance.now() - start) / 1000;
  return {whole, clients, bytes: whole * pageBytes, cpuS: (user + system) / 1e6, wallS};
}

/** Prints the best of the rounds, because other programs may use the machine. Incomplete loads count with 0 bytes. */
function print(name: string, crowds: readonly Crowd[]): void {
  const best = (of: (crowd: Crowd) => number): string => (Math.max(...crowds.map(of)) / 1e6).toFixed(1);
  const lost = crowds.reduce((sum, {clients, whole}) => sum + clients - whole, 0);
  const perS = `${best(({bytes, wallS}) => bytes / wallS)} MB/s`;
  const perCpuS = `${best(({bytes, cpuS}) => bytes / cpuS)} MB per CPU s, server and clients`;
  console.log(`live, ${name}: ${perS}, ${perCpuS}${lost > 0 ? `; ${lost} loads were incomplete` : ''}`);
}

function scenarioOf(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}
