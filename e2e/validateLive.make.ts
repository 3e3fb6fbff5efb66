import {test} from 'vitest';
import type {PageSnapshot} from '../app/page/page.ts';
import {measure} from '../app/run/metrics/metrics.ts';
import {distributionTest, type Estimate, estimate} from '../app/run/metrics/statistics.ts';
import type {PathSettings} from '../app/run/scenario/path.ts';
import {parseScenario, type Scenario} from '../app/run/scenario/scenario.ts';
import type {TraceData} from '../app/run/trace/traceData.ts';
import {loadToMeasure} from '../main/engine/load.ts';
import {LiveLoad} from '../main/live/client/liveLoad.ts';
import {startPath} from '../main/live/path/livePath.ts';
import {startServer} from '../main/live/server/liveServer.ts';
import {openPage} from '../main/pages/openPage.ts';

// Compares live loads with computed loads. Their pages, panes and loss rates are the same, but their seeds differ. Live
// loads pass through `interleave path`, and computed loads take place in virtual time. `npm run validate:live` prints
// the table of native/VALIDATION.md. INTERLEAVE_LOADS sets the number of live loads for each row. A load is delayed
// when it waits for a processor, so use `chrt -f 5` on a busy machine.

const HOST = '127.0.0.1';
const LOADS = Number(process.env['INTERLEAVE_LOADS'] ?? 50);
/** The number of simultaneous loads. More loads would delay each other. */
const AT_ONCE = 3;
const COMPUTED = 1000;
/** The first seed of the live loads' paths. Computed loads have other seeds. */
const FIRST_LIVE_SEED = 10_000;

const PAGE = {synthetic: {indexBytes: 10_000, objects: 10, objectBytes: 10_000}};
const PATH = {rateBps: 1_000_000, rttMs: 120};
/**
 * The panes' profile is that of live transports. Live TCP and SCTP are sent in UDP, whose header takes 8 B of each
 * Ethernet packet. So the packets of their computed loads are 8 B smaller.
 */
const PANES = [
  {mtuBytes: 1492, pane: {pipeline: 'tcp', profile: 'modern'}},
  {mtuBytes: 1492, pane: {pipeline: 'sctp', profile: 'modern', streams: 10}},
  {mtuBytes: 1500, pane: {pipeline: 'h3', profile: 'modern'}},
];

test('page times, live and computed', {timeout: 7_200_000}, async () => {
  console.log(
    '| pane | loss | live: mean, median (s) | computed: mean, median (s) | ratios of means, of medians | D, p | D, p without the lateness (see below) |\n|---|---|---|---|---|---|---|',
  );
  for (const {mtuBytes, pane} of PANES) {
    /** How much longer live loads take than computed loads if nothing is lost: the difference of the medians, s. */
    let lateS: number | undefined;
    for (const loss of [0, 0.03, 0.1]) {
      const computed = scenarioOf({page: PAGE, path: {...PATH, loss, mtuBytes}, panes: [pane]});
      const page = await openPage(computed.page, 'fixtures/pages');
      const theirs = seconds(seeds(1, COMPUTED).map(seed => loadToMeasure(page, computed, seed, 0)));
      const {path} = scenarioOf({path: {...PATH, loss}});
      const ours = seconds(await liveLoads(page, path, pane));
      const [a, b] = [estimate(ours), estimate(theirs)];
      lateS ??= (a.median ?? 0) - (b.median ?? 0);
      const late = lateS;
      const inTime = ours.map(timeS => coarse(timeS - late));
      const tests = [testText(ours, theirs), testText(inTime, theirs.map(coarse))];
      const ratios = [ratio(a.mean, b.mean), ratio(a.median, b.median)].join(', ');
      console.log(`| ${[pane.pipeline, `${100 * loss} %`, text(a), text(b), ratios, ...tests].join(' | ')} |`);
    }
  }
});

/** Makes a live load for each seed, each with a new server and a new path. */
async function liveLoads(page: PageSnapshot, path: PathSettings, pane: object): Promise<readonly TraceData[]> {
  const left = [...seeds(FIRST_LIVE_SEED, LOADS)];
  const loads: TraceData[] = [];
  const lane = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const server = await startServer({page, host: HOST, port: 0, token: undefined});
      const to = {host: HOST, port: server.port};
      const relay = await startPath({settings: path, seed, host: HOST, port: 0, to, token: undefined});
      const {fingerprint} = server.quic;
      const live = {live: `${HOST}:${relay.port}`, tcp: 'udp', fingerprint};
      const {panes} = await new LiveLoad(page, scenarioOf({page: PAGE, path: live, panes: [pane]}), {
        signal: NEVER,
      }).run();
      loads.push(...panes);
      await relay.close();
      await server.close();
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, lane));
  return loads;
}

/** The page times of all complete loads. */
function seconds(loads: readonly TraceData[]): readonly number[] {
  const times = loads.map(load => measure(load).pageTimeMs);
  const whole = times.filter(time => time !== null && Number.isFinite(time)) as number[];
  if (whole.length < loads.length) console.log(`${loads.length - whole.length} loads are incomplete`);
  return whole.map(time => time / 1000);
}

function scenarioOf(document: object): Scenario {
  const parsed = parseScenario({timeLimitMs: 600_000, ...document});
  if (!parsed.ok) throw new Error(parsed.problems.map(({message}) => message).join('\n'));
  return parsed.scenario;
}

function seeds(first: number, count: number): readonly number[] {
  return Array.from({length: count}, (_, i) => first + i);
}

/**
 * Rounds to 20 ms. A loss changes a time by at least a round trip, so rounding removes only the jitter of real time.
 */
function coarse(timeS: number): number {
  return Math.round(timeS * 50) / 50;
}

function testText(a: readonly number[], b: readonly number[]): string {
  const found = distributionTest(a, b);
  return found === null ? 'unknown' : `${found.d.toFixed(2)}, ${found.p.toFixed(2)}`;
}

function text({mean, median}: Estimate): string {
  return [mean, median].map(value => value?.toFixed(3)).join(', ');
}

function ratio(a: number | null, b: number | null): string {
  return a === null || b === null ? 'unknown' : (a / b).toFixed(3);
}

const NEVER = new AbortController().signal;
