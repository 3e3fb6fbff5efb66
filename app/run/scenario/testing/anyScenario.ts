import fc from 'fast-check';
import type {Json} from '../../../base/json.ts';
import {check} from '../../../base/schema.ts';
import {BROWSERS} from '../../../browsers/list.ts';
import {CONGESTIONS} from '../../../http/congestion.ts';
import {CERTIFICATES} from '../../../page/origins.ts';
import {pipelines} from '../../../pipelines/index.ts';
import type {Setting} from '../../../pipelines/setting.ts';
import {SERVERS} from '../../../servers/list.ts';
import type {LinkTrace} from '../../link/linkTrace.ts';
import {packedTrace} from '../../link/packedTrace.ts';
import {paneSettings} from '../pane.ts';
import {parseScenario} from '../scenario.ts';

// For property tests: documents of valid scenarios. Rates, RTTs, losses and sizes have narrower ranges than a scenario
// allows.

const probability = fc.double({min: 0, max: 1, noNaN: true});

const bothWays = <T>(each: fc.Arbitrary<T>) =>
  fc.oneof(each, fc.record({down: each, up: each}), fc.record({down: each}));

const applies = fc.constantFrom('all', 'data');
const at = fc.constantFrom('entry', 'exit');

const loss = fc.oneof(
  fc.double({min: 0, max: 0.4, noNaN: true}),
  fc.record({rate: fc.double({min: 0, max: 0.4, noNaN: true}), applies, at}),
  fc.record({p: probability, r: probability}),
  fc.record({p: probability, r: probability, h: probability, k: probability, applies, at}),
  fc.record({packets: fc.array(fc.nat(100), {maxLength: 10}), applies, at}, {requiredKeys: ['packets']}),
);

const startMs = fc.oneof(fc.constant('random'), fc.integer({min: 0, max: 3}));

function anyTrace(of: 'trace' | 'delayTrace'): fc.Arbitrary<unknown> {
  const steps = (most: number) =>
    fc.array(fc.tuple(fc.integer({min: 1, max: 3000}), fc.integer({min: 1, max: most})), {minLength: 1, maxLength: 6});
  const byRate = (most: number) => steps(most).map(pairs => fromGaps(pairs));
  const opportunities = fc
    .array(fc.integer({min: 0, max: 90}), {minLength: 1, maxLength: 50})
    .map((gaps): LinkTrace => ({kind: 'opportunities', timesMs: Uint32Array.from(sums([...gaps, 9]))}));
  const traces = of === 'trace' ? fc.oneof(byRate(1e8), opportunities) : byRate(500);
  const packed = fc.record(
    {name: fc.constant('drawn'), packed: traces.map(packedTrace), startMs, repeats: fc.boolean()},
    {requiredKeys: ['name', 'packed']},
  );
  return fc.oneof(
    packed,
    fc.constantFrom(...(of === 'trace' ? ['lte-driving', 'wifi-crowded'] : []), 'starlink', null),
  );
}

function fromGaps(pairs: readonly (readonly [gapMs: number, value: number])[]): LinkTrace {
  const times = sums([0, ...pairs.map(([gap]) => gap)]);
  const rows = pairs.map(([, value], at) => [times[at] ?? 0, value] as const);
  return {kind: 'steps', rows, periodMs: times.at(-1) ?? 1};
}

function sums(gaps: readonly number[]): readonly number[] {
  let sum = 0;
  return gaps.map(gap => {
    sum += gap;
    return sum;
  });
}

const direction = fc.record({trace: anyTrace('trace'), delayTrace: anyTrace('delayTrace')}, {requiredKeys: []});

const ms = (most: number) => fc.double({min: 0.5, max: most, noNaN: true});
const limit = fc.oneof(
  fc.constant({}),
  fc.record({packets: fc.integer({min: 1, max: 500})}),
  fc.record({bytes: fc.integer({min: 1, max: 500_000})}),
  fc.record({ms: ms(500)}),
);
const marks = {ecn: fc.boolean(), targetMs: ms(50)};
const codel = {...marks, intervalMs: ms(300), markFromMs: ms(10)};

function anyQueue(kind: string, settings: {readonly [key: string]: fc.Arbitrary<unknown>}): fc.Arbitrary<unknown> {
  return fc
    .tuple(limit, fc.record(settings, {requiredKeys: []}))
    .map(([limit, settings]) => ({kind, ...limit, ...settings}));
}

const queue = fc.oneof(
  fc.constant(null),
  anyQueue('droptail', {}),
  anyQueue('codel', codel),
  anyQueue('fq_codel', {...codel, flows: fc.integer({min: 1, max: 9}), quantumBytes: fc.integer({min: 1, max: 9000})}),
  anyQueue('pie', {...marks, updateMs: ms(50)}),
  anyQueue('dualpi2', {...marks, stepMs: ms(20)}),
);

const correlation = probability;
const jitter = fc.oneof(
  ms(50),
  fc.record(
    {ms: ms(50), distribution: fc.constantFrom('uniform', 'normal', 'pareto'), correlation, inOrder: fc.boolean()},
    {requiredKeys: ['ms']},
  ),
);
const seldom = fc.double({min: 0, max: 0.3, noNaN: true});

const parts = {
  queue: bothWays(queue),
  jitter: bothWays(jitter),
  reorder: bothWays(
    fc.oneof(
      seldom,
      fc.record({rate: seldom, correlation, gap: fc.integer({min: 1, max: 9})}, {requiredKeys: ['rate']}),
    ),
  ),
  duplicate: bothWays(fc.oneof(seldom, fc.record({rate: seldom, correlation}))),
  policer: bothWays(
    fc.oneof(
      fc.constant(null),
      fc.record({rateBps: fc.integer({min: 100_000, max: 1e9}), burstBytes: fc.integer({min: 20_000, max: 1e6})}),
    ),
  ),
};

const directed = {
  ...parts,
  down: direction,
  up: direction,
  rateBps: bothWays(fc.integer({min: 10_000, max: 1e9})),
  rttMs: bothWays(fc.double({min: 0, max: 2000, noNaN: true})),
  loss: bothWays(loss),
  queuePackets: bothWays(fc.integer({min: 1, max: 2000})),
};

const flow = {
  direction: fc.constantFrom('down', 'up'),
  startMs: fc.integer({min: -2000, max: 3000}),
  endMs: fc.integer({min: 3001, max: 5000}),
};
const tcpTraffic = fc.record(
  {
    ...flow,
    kind: fc.constant('tcp'),
    congestion: fc.constantFrom(...CONGESTIONS),
    flows: fc.integer({min: 1, max: 3}),
  },
  {requiredKeys: ['kind', 'direction', 'endMs']},
);
const constantTraffic = fc.record(
  {
    ...flow,
    kind: fc.constant('cbr'),
    rateBps: fc.integer({min: 1000, max: 2_000_000}),
    packetBytes: fc.integer({min: 28, max: 576}),
  },
  {requiredKeys: ['kind', 'direction', 'rateBps', 'packetBytes', 'endMs']},
);
const traffic = fc.array(fc.oneof(tcpTraffic, constantTraffic), {maxLength: 2});

const path = fc.record({...directed, mtuBytes: fc.integer({min: 576, max: 9000}), traffic}, {requiredKeys: []});

const sendBuffer = fc.oneof(
  fc.constant(null),
  fc.record({bytes: fc.integer({min: 1024, max: 1_000_000})}),
  fc.record({objects: fc.integer({min: 1, max: 20})}),
);

function anyValue(setting: Setting): fc.Arbitrary<unknown> {
  switch (setting.kind) {
    case 'choice':
      return fc.constantFrom(...setting.choices.map(([word]) => word));
    case 'number': {
      const whole = fc.integer({min: setting.least, max: setting.most});
      return setting.default === null ? fc.option(whole) : whole;
    }
    case 'switch':
      return fc.boolean();
    case 'send-buffer':
      return sendBuffer;
  }
}

const drops = fc.record(
  {packets: fc.uniqueArray(fc.nat(100), {minLength: 1, maxLength: 5}), applies},
  {requiredKeys: ['packets']},
);

const drop = fc.oneof(fc.constant(null), drops, fc.record({down: drops, up: drops}), fc.record({up: drops}));

const browser = fc.constantFrom(...BROWSERS.map(({name}) => name));
const webServer = fc.constantFrom(...SERVERS.map(({name}) => name));

const eachByItself = fc.oneof(
  ...pipelines().map(({name, settings}) => {
    const values = Object.entries(settings).map(([key, setting]) => [key, anyValue(setting)] as const);
    return fc.record(
      {pipeline: fc.constant(name), drop, browser, webServer, ...Object.fromEntries(values)},
      {requiredKeys: ['pipeline']},
    );
  }),
);

const pane = eachByItself.filter(settings => check(paneSettings, settings).ok);

const synthetic = fc.record({
  indexBytes: fc.integer({min: 2000, max: 10_000}),
  objects: fc.integer({min: 0, max: 30}),
  objectBytes: fc.integer({min: 0, max: 30_000}),
  headerBytes: fc.integer({min: 100, max: 500}),
  requestBytes: fc.integer({min: 64, max: 1000}),
});

const change = fc.record({
  atMs: fc.double({min: 0, max: 20_000, noNaN: true}),
  path: fc.record(
    {...directed, handover: fc.oneof(fc.boolean(), fc.record({noticeMs: fc.integer({min: 0, max: 2000})}))},
    {requiredKeys: []},
  ),
});

/** Generates valid scenario documents. */
export const anyScenario: fc.Arbitrary<Json> = fc
  .record(
    {
      page: fc.record({synthetic}),
      path,
      panes: fc.array(pane, {minLength: 1, maxLength: 2}),
      seed: fc.maxSafeNat(),
      typicalOf: fc.option(fc.integer({min: 1, max: 100_000})),
      discovery: fc.constantFrom('streaming', 'complete'),
      browser,
      cpu: fc.oneof(fc.constantFrom('recorded', 'none'), fc.integer({min: 1, max: 100})),
      dnsMs: fc.integer({min: 0, max: 200}),
      certificate: fc.constantFrom(...CERTIFICATES),
      server: fc.constantFrom(...SERVERS.map(({name}) => name)),
      visit: fc.constantFrom('first', 'again'),
      serverThinkMs: fc.integer({min: 0, max: 500}),
      serverThinking: fc.constantFrom('concurrent', 'in-turn'),
      timeLimitMs: fc.constant(120_000),
      changes: fc.array(change, {maxLength: 3}),
    },
    {requiredKeys: ['page', 'timeLimitMs']},
  )
  .filter(document => parseScenario(document).ok) as fc.Arbitrary<Json>;
