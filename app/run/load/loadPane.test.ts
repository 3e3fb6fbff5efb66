import {describe, expect, test, vi} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import type {TransportEvent} from '../../http/transports.ts';
import {assemblePage} from '../../page/assemble.ts';
import type {Pane} from '../../pipelines/index.ts';
import type {Exhausted, Network} from './loadNetwork.ts';
import {loadPane} from './loadPane.ts';

// The tests in main/engine load pages over the native network. This file tests events that are rare on that network.

vi.mock(import('../../pipelines/list.ts'), async original => {
  const [{PIPELINES}, {toy}] = [await original(), await import('../../pipelines/testing/toyPipeline.ts')];
  return {PIPELINES: [...PIPELINES, toy] as never};
});

const MS = 1e6;
const page = assemblePage('p', bytesOf('<img src=1><img src=2><img src=3>'), url => bytesOf(`object ${url}`));
const pane = {pipeline: 'toy', connections: 2} as unknown as Pane;
const options = {
  discovery: 'streaming',
  thinkNs: 0,
  timeLimitNs: 1000 * MS,
  rateBps: 1_000_000,
  retryNs: 7 * MS,
} as const;

describe('a load over two connections', () => {
  test('requests on the first established connection, and on both once both are established', () => {
    const network = new SlowNetwork({connectMs: [50, 20]});
    const trace = loadPane(network, page, pane, options);
    expect(trace).toMatchObject({outcome: 'complete', setupNs: 20 * MS, streams: 1});
    expect(trace.objects.map(({connection}) => connection)).toEqual([1, 1, 1, 1]);
    const late = new SlowNetwork({connectMs: [21, 20]});
    const both = loadPane(late, page, pane, options);
    expect(both).toMatchObject({setupNs: 20 * MS, streams: 2});
    expect(both.objects.map(({connection}) => connection)).toEqual([1, 0, 1, 0]);
  });

  test('repeats the refused writes of either connection’s server', () => {
    for (const refusing of [1, 3]) {
      const network = new SlowNetwork({connectMs: [20, 21], refusing});
      const trace = loadPane(network, page, pane, options);
      expect(trace.outcome).toBe('time-limit');
      // The intervals grow, beginning with 7 ms.
      const [first = 0, second = 0] = network.waitedNs;
      expect(first).toBeLessThan(10 * MS);
      expect(second / first).toBeCloseTo(1.1);
    }
  });

  test('continues when one connection is closed, and ends when both are', () => {
    const network = new SlowNetwork({connectMs: [20, 21], refusing: 1, closedMs: {0: 90}});
    const trace = loadPane(network, page, pane, options);
    expect(trace).toMatchObject({outcome: 'partial', reason: '1 of 4 objects failed: data-timeout'});
    const both = new SlowNetwork({connectMs: [20, 21], refusing: 3, closedMs: {0: 90, 2: 120}});
    expect(loadPane(both, page, pane, options)).toMatchObject({outcome: 'aborted', reason: 'data-timeout'});
  });
});

test('a closed endpoint writes nothing more', () => {
  const thinking = {...options, thinkNs: 200 * MS};
  const client = new SlowNetwork({connectMs: [50, 20], refusing: 0, closedMs: {0: 300}});
  const trace = loadPane(client, page, pane, thinking);
  expect(trace).toMatchObject({outcome: 'partial', reason: '2 of 4 objects failed: data-timeout'});
  const server = new SlowNetwork({connectMs: [50, 20], closedMs: {1: 300}});
  const rest = loadPane(server, page, pane, thinking);
  expect(rest).toMatchObject({outcome: 'aborted', reason: 'server data-timeout'});
});

test('a load ends when its network reaches a limit, and all incomplete objects fail', () => {
  const network = new SlowNetwork({connectMs: [20, 21], refusing: 1, exhaustedMs: 60});
  const trace = loadPane(network, page, pane, options);
  const reason = 'not complete after 1234 steps of the simulation, which is the limit of a load';
  expect(trace).toMatchObject({outcome: 'work-limit', reason});
  expect(trace.objects[0]?.failure).toEqual({kind: 'work-limit', ...LIMIT, bytes: 0, ofBytes: null});
  // The clock stopped long before the time limit.
  expect(network.nowNs).toBeLessThan(options.timeLimitNs);
});

interface SlowOptions {
  /** The time when each connection is established. */
  readonly connectMs: readonly number[];
  /** An endpoint that accepts nothing. */
  readonly refusing?: number;
  /** The times when endpoints are closed. */
  readonly closedMs?: {readonly [endpoint: number]: number};
  /** The time when the network reaches its limit. */
  readonly exhaustedMs?: number;
}

const LIMIT = {what: 'steps', limit: 1234} as const;

/** A network on which written bytes arrive 2 ms later. Connection i has the endpoints 2 i and 2 i + 1. */
class SlowNetwork implements Network {
  nowNs = 0;
  exhausted: Exhausted | null = null;
  /** The duration of each `advance` that ended without an event. */
  readonly waitedNs: number[] = [];
  readonly #options: SlowOptions;
  readonly #events: {readonly atNs: number; readonly event: TransportEvent}[] = [];
  readonly #unread = new Map<number, Uint8Array[]>();
  #opened = 0;

  constructor(options: SlowOptions) {
    this.#options = options;
    for (const [endpoint, closedMs] of Object.entries(options.closedMs ?? {})) {
      this.#tell(closedMs * MS, {type: 'closed', endpoint: Number(endpoint), reason: 'data-timeout'});
    }
  }

  openTcp() {
    const client = 2 * this.#opened++;
    return {client, server: client + 1};
  }

  connect(endpoint: number): void {
    const atNs = (this.#options.connectMs[endpoint / 2] ?? 0) * MS;
    this.#tell(atNs, {type: 'connected', endpoint, streams: 1});
  }

  write(endpoint: number, stream: number, bytes: Uint8Array): number {
    const {[endpoint]: closedMs = Number.POSITIVE_INFINITY} = this.#options.closedMs ?? {};
    if (this.nowNs >= closedMs * MS) throw new Error('written to an endpoint that is closed');
    if (endpoint === this.#options.refusing) return 0;
    const peer = endpoint ^ 1;
    this.#unread.set(peer, [...(this.#unread.get(peer) ?? []), bytes.slice()]);
    this.#tell(this.nowNs + 2 * MS, {type: 'readable', endpoint: peer, stream});
    return bytes.length;
  }

  read(endpoint: number): Uint8Array {
    return this.#unread.get(endpoint)?.shift() ?? new Uint8Array(0);
  }

  advance(untilNs: number): readonly TransportEvent[] {
    this.exhausted = this.nowNs >= (this.#options.exhaustedMs ?? Number.POSITIVE_INFINITY) * MS ? LIMIT : null;
    const next = this.#events[0];
    if (next === undefined || next.atNs > untilNs) {
      this.waitedNs.push(untilNs - this.nowNs);
      this.nowNs = untilNs;
      return [];
    }
    this.nowNs = next.atNs;
    this.#events.shift();
    return [next.event];
  }

  packets = () => ({...NONE.packets});
  chunks = () => ({...NONE.chunks});
  samples = () => ({...NONE.samples});
  blocked = () => ({...NONE.blocked});
  openSctp = unused;
  renew = unused;
  openUdp = unused;
  addPath = unused;
  openQuic = unused;
  writeParts = unused;
  send = unused;
  maxMessageInPacketBytes = unused;

  #tell(atNs: number, event: TransportEvent): void {
    this.#events.push({atNs, event});
    this.#events.sort((a, b) => a.atNs - b.atNs);
  }
}

function unused(): never {
  throw new Error('SlowNetwork does not have this method');
}

const [u8, u32, f64] = [new Uint8Array(0), new Uint32Array(0), new Float64Array(0)];
const NONE = {
  packets: {
    endpoint: u32,
    direction: u8,
    bytes: u32,
    sentNs: f64,
    leftNs: f64,
    copyNs: f64,
    ecn: u8,
    marked: u8,
    fate: u8,
    fateNs: f64,
    kind: u8,
    cumulativeAck: f64,
  },
  chunks: {packet: u32, first: f64, bytes: u32, stream: u32, message: u32, retransmission: u8},
  samples: {
    atNs: f64,
    endpoint: u32,
    cwndBytes: f64,
    ssthreshBytes: f64,
    flightBytes: f64,
    srttNs: f64,
    rtoNs: f64,
    state: u8,
    timeouts: u32,
    probes: u32,
  },
  blocked: {endpoint: u32, stream: u32, first: f64, bytes: u32, startNs: f64, endNs: f64},
};
