import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  type AppEvent,
  type CaptureTexts,
  type Drops,
  type Endpoints,
  type LinkParams,
  readCapture,
  Simulation,
  type SimulationOptions,
} from './index.js';

const link: LinkParams = {
  rateBps: 1_000_000,
  delayNs: 50_000_000,
  loss: {model: 'none'},
  queuePackets: 1000,
};

function options(changes: Partial<LinkParams> = {}): SimulationOptions {
  const both = {...link, ...changes};
  return {
    seed: 1,
    path: {down: both, up: both, mtuBytes: 1500},
    record: {packets: true, samples: true, bytes: true},
  };
}

type Transport = 'tcp' | 'sctp' | 'udp';

function open(simulation: Simulation, transport: Transport): Endpoints {
  const [tcp, sctp] = [{profile: 'classic'} as const, {profile: 'classic', streams: 3} as const];
  if (transport === 'tcp') return simulation.openTcp({client: tcp, server: tcp});
  if (transport === 'sctp') return simulation.openSctp({client: sctp, server: sctp});
  return simulation.openUdp();
}

/** The server sends 20 kB and closes. Returns how many bytes the client received. */
function download(simulation: Simulation, transport: 'tcp' | 'sctp'): number {
  const {client, server} = open(simulation, transport);
  simulation.connect(client);
  let received = 0;
  for (let events = simulation.advance(); events.length > 0; events = simulation.advance()) {
    for (const event of events) {
      if (event.type === 'connected' && event.endpoint === server) {
        if (transport === 'tcp') simulation.write(server, 0, new Uint8Array(20_000).fill(7));
        else for (let i = 0; i < 20; i += 1) simulation.send(server, i % event.streams, new Uint8Array(1000).fill(7));
        simulation.close(server);
      }
      if (event.type === 'readable') received += simulation.read(event.endpoint, event.stream).length;
      if (event.type === 'message') received += event.bytes.length;
      if (event.type === 'peer-closed' && event.endpoint === client && transport === 'tcp') simulation.close(client);
    }
  }
  return received;
}

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as {code: string}).code;
  }
  return 'no error';
}

describe('a path added by addPath', () => {
  const fast = {...link, rateBps: 10_000_000, delayNs: 10_000_000};
  const tcp = {profile: 'classic'} as const;

  test('carries a transport that is opened with its number', () => {
    const simulation = new Simulation(options());
    expect(simulation.addPath({down: fast, up: fast, mtuBytes: 1500})).toBe(1);
    const {client, server} = simulation.openTcp({client: tcp, server: tcp, path: 1});
    simulation.connect(client);
    expect(simulation.advance()).toMatchObject([{endpoint: client, type: 'connected'}]);
    const {endpoint, fateNs, sentNs, bytes} = simulation.packets();
    const syn = endpoint.indexOf(client);
    expect(fateNs[syn]).toBe((sentNs[syn] ?? 0) + (bytes[syn] ?? 0) * 800 + 10e6);
    expect(endpoint).toContain(server);
  });

  test('is refused if a setting is outside its limits, and a transport on an unknown path is refused', () => {
    const simulation = new Simulation(options());
    const add = (mtuBytes: number) => simulation.addPath({down: fast, up: fast, mtuBytes});
    expect(codeOf(() => add(100))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => simulation.openTcp({client: tcp, server: tcp, path: 1}))).toBe('INVALID_ARGUMENT');
  });
});

test('QUIC refuses freeSetUp, because its handshake contains TLS', () => {
  const end = {profile: 'modern'} as const;
  const simulation = new Simulation(options());
  const open = () => simulation.openQuic(JSON.stringify({client: end, server: end, freeSetUp: true}));
  expect(codeOf(open)).toBe('WRONG_TRANSPORT');
  expect(open).toThrow('QUIC has no instant handshake');
  // nothing was opened
  expect(simulation.openUdp()).toEqual({client: 0, server: 1});
});

describe.each(['tcp', 'sctp'] as const)('%s', transport => {
  const end = {profile: 'classic', streams: 3} as const;
  const openWith = (more: object, ofBoth: object) => {
    const {streams: _, ...tcp} = end;
    const own = {...(transport === 'tcp' ? tcp : end), ...more};
    const simulation = new Simulation(options());
    const json = JSON.stringify({client: own, server: own, ...ofBoth});
    const {client, server} = transport === 'tcp' ? simulation.openTcp(json) : simulation.openSctp(json);
    simulation.connect(client);
    return {simulation, client, server};
  };

  test('is connected at once with freeSetUp', () => {
    const connectedNs = (ofBoth: object) => {
      const {simulation, client} = openWith({}, ofBoth);
      while (!simulation.advance().some(({endpoint, type}) => endpoint === client && type === 'connected'));
      return simulation.nowNs;
    };
    expect(connectedNs({})).toBeGreaterThanOrEqual(100e6);
    expect(connectedNs({freeSetUp: true})).toBe(0);
  });

  test('begins with a window of 1000 packets with unlimitedWindow', () => {
    const {simulation, server} = openWith({unlimitedWindow: true}, {});
    while (!simulation.advance().some(({endpoint, type}) => endpoint === server && type === 'connected'));
    expect(simulation.cwndBytes(server) / 1000).toBe(transport === 'tcp' ? 1448 : 1480);
  });

  test('delivers everything through a lossy path', () => {
    const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.05}}));
    expect(download(simulation, transport)).toBe(20_000);
  });

  test('cwndBytes equals the congestion window of the last sample', () => {
    const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.02}}));
    download(simulation, transport);
    const {endpoint, cwndBytes} = simulation.samples();
    for (const id of [0, 1]) expect(simulation.cwndBytes(id)).toBe(cwndBytes[endpoint.lastIndexOf(id)]);
  });

  test('loses the packets that setDrops lists, besides the packets that the loss model loses', () => {
    const fates = (drops?: Drops) => {
      const simulation = new Simulation(options({loss: {model: 'list', packets: [4, 6]}}));
      if (drops !== undefined) simulation.setDrops('down', drops);
      download(simulation, transport);
      const {direction, fate} = simulation.packets();
      const lost = (way: number) =>
        [...fate].filter((_, row) => direction[row] === way).flatMap((value, packet) => (value === 2 ? [packet] : []));
      return [lost(0), lost(1)];
    };
    const [, up] = fates();
    expect(fates({packets: [9]})).toEqual([[4, 6, 9], up]);
    expect(fates({packets: [6, 6]})).toEqual(fates());
  });

  test('loses exactly the listed packets', () => {
    const simulation = new Simulation(options({loss: {model: 'list', packets: [4, 6]}}));
    download(simulation, transport);
    const {direction, fate} = simulation.packets();
    const down = [...fate].filter((_, row) => direction[row] === 0);
    expect(down.flatMap((value, packet) => (value === 2 ? [packet] : []))).toEqual([4, 6]);
  });
});

test('transports of one network share its path', () => {
  const simulation = new Simulation(options());
  const opened = (['tcp', 'udp', 'tcp', 'sctp', 'tcp'] as const).map(transport => ({
    transport,
    ...open(simulation, transport),
  }));
  expect(opened.map(({client, server}) => [client, server])).toEqual([0, 2, 4, 6, 8].map(n => [n, n + 1]));
  const received = new Map<number, number>();
  for (const {transport, client} of opened) if (transport !== 'udp') simulation.connect(client);
  for (let events = simulation.advance(); events.length > 0; events = simulation.advance()) {
    for (const event of events) {
      const transport = opened[event.endpoint >> 1]?.transport;
      if (event.type === 'connected' && event.endpoint % 2 === 1) {
        if (transport === 'tcp') simulation.write(event.endpoint, 0, new Uint8Array(20_000));
        else for (let i = 0; i < 20; i += 1) simulation.send(event.endpoint, i % 3, new Uint8Array(1000));
      }
      const bytes =
        event.type === 'readable'
          ? simulation.read(event.endpoint, event.stream)
          : event.type === 'message'
            ? event.bytes
            : [];
      received.set(event.endpoint, (received.get(event.endpoint) ?? 0) + bytes.length);
    }
  }
  expect([0, 4, 6, 8].map(client => received.get(client))).toEqual([20_000, 20_000, 20_000, 20_000]);
  const {endpoint, direction, bytes, fateNs} = simulation.packets();
  const down = [...endpoint.keys()].filter(row => direction[row] === 0);
  expect([...new Set(down.map(row => endpoint[row]))].sort()).toEqual([1, 5, 7, 9]);
  // all packets use one link, so each arrives later than the previous packet by at least its serialisation
  for (const [index, row] of down.slice(1).entries()) {
    const gapNs = (fateNs[row] ?? 0) - (fateNs[down[index] ?? 0] ?? 0);
    expect(gapNs).toBeGreaterThanOrEqual((bytes[row] ?? 0) * 8000);
  }
  const turns = down.filter((row, index) => index > 0 && endpoint[row] !== endpoint[down[index - 1] ?? 0]);
  expect(turns.length).toBeGreaterThan(10);
});

test('a datagram arrives after serialisation and propagation', () => {
  const simulation = new Simulation(options());
  const {client, server} = open(simulation, 'udp');
  expect(simulation.send(client, 0, new Uint8Array(1222))).toBe(true);
  const events: AppEvent[] = simulation.advance();
  expect(events).toEqual([{endpoint: server, type: 'message', stream: 0, bytes: new Uint8Array(1222)}]);
  expect(simulation.nowNs).toBe(60_000_000);
});

test('a change of the path takes effect at its time', () => {
  const simulation = new Simulation(options());
  const {client} = open(simulation, 'udp');
  simulation.changeLink(5_000_000, 'up', {...link, rateBps: 500_000});
  simulation.send(client, 0, new Uint8Array(1222));
  simulation.send(client, 0, new Uint8Array(1222));
  simulation.advance();
  simulation.advance();
  expect(simulation.nowNs).toBe(80_000_000);
});

test('advance stops at untilNs, and returns no events if none happened before', () => {
  const simulation = new Simulation(options());
  expect(simulation.advance(1000)).toEqual([]);
  expect(simulation.nowNs).toBe(1000);
});

describe('loss that applies to data', () => {
  const models: LinkParams['loss'][] = [
    {model: 'none'},
    {model: 'bernoulli', rate: 1},
    {model: 'gilbert-elliott', p: 1, r: 0, h: 0, k: 0},
    {model: 'list', packets: [0]},
  ];

  test.each(models)('lets a handshake pass: $model', loss => {
    const outcome = (applies?: 'all' | 'data') => {
      const simulation = new Simulation(options({loss: {...loss, ...(applies && {applies})}}));
      simulation.connect(open(simulation, 'tcp').client);
      return simulation.advance().map(event => event.type);
    };
    expect(outcome('data')).toEqual(['connected']);
    expect(outcome('all')).toEqual(outcome());
  });

  test('can be changed during a run, and the count of draws continues', () => {
    const simulation = new Simulation(options({loss: {model: 'list', packets: [1, 2], applies: 'data'}}));
    const {client} = open(simulation, 'udp');
    simulation.send(client, 0, new Uint8Array(100)); // draw 0
    simulation.send(client, 0, new Uint8Array(0)); // no draw
    simulation.send(client, 0, new Uint8Array(100)); // draw 1
    expect(simulation.advance(1_000_000_000)).toHaveLength(1);
    simulation.changeLink(0, 'up', {...link, loss: {model: 'list', packets: [1, 2], applies: 'all'}});
    simulation.advance(1_000_000_001);
    simulation.send(client, 0, new Uint8Array(0)); // draw 2
    simulation.send(client, 0, new Uint8Array(100)); // draw 3
    while (simulation.advance().length > 0);
    expect([...simulation.packets().fate]).toEqual([1, 1, 2, 2, 1]);
  });
});

test('drops that apply to data count only packets with data', () => {
  const simulation = new Simulation(options());
  simulation.setDrops('up', {packets: [1], applies: 'data'});
  const {client} = open(simulation, 'udp');
  for (const bytes of [100, 0, 100, 100]) simulation.send(client, 0, new Uint8Array(bytes));
  while (simulation.advance().length > 0);
  expect([...simulation.packets().fate]).toEqual([1, 1, 2, 1]);
});

test('invalid drops are refused, and the error names the wrong field', () => {
  const simulation = new Simulation(options());
  const set = (direction: unknown, drops: unknown) => () => simulation.setDrops(direction as 'up', drops as Drops);
  expect(set('up', {packets: [1.5]})).toThrow(/invalid drops\.packets: 1\.5 \(must be a whole number/);
  expect(set('up', {packets: [-1]})).toThrow(/invalid drops\.packets: -1/);
  expect(set('up', {})).toThrow(/invalid drops: missing field `packets`/);
  expect(set('up', {packets: [], at: 'exit'})).toThrow(/invalid drops\.at: unknown field `at`/);
  expect(set('left', {packets: []})).toThrow(/invalid direction/);
});

test('a list of a hundred thousand lost packets is accepted', () => {
  const packets = Array.from({length: 100_000}, (_, index) => 2 * index + 1);
  const simulation = new Simulation(options({loss: {model: 'list', packets}}));
  const {client} = open(simulation, 'udp');
  for (let i = 0; i < 10; i += 1) simulation.send(client, 0, new Uint8Array(10));
  while (simulation.advance().length > 0);
  expect([...simulation.packets().fate]).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
});

describe('errors say what is wrong', () => {
  const seeded = (seed: unknown) => () => new Simulation({...options(), seed} as SimulationOptions);
  test.each<[string, () => unknown, string, string]>([
    ['rate', () => new Simulation(options({rateBps: 0})), 'INVALID_ARGUMENT', 'path.down.rateBps: 0'],
    ['queue', () => new Simulation(options({queuePackets: 1.5})), 'INVALID_ARGUMENT', 'queuePackets: 1.5'],
    ['seed', seeded(-1), 'INVALID_ARGUMENT', 'seed: -1'],
    ['seed type', seeded('x'), 'INVALID_ARGUMENT', 'options.seed: invalid type: string "x"'],
    ['NaN', seeded(Number.NaN), 'INVALID_ARGUMENT', 'options'],
    ['loss', () => new Simulation(options({loss: {model: 'bernoulli', rate: 2}})), 'INVALID_ARGUMENT', 'loss.rate: 2'],
    [
      'applies',
      () => new Simulation(options({loss: {model: 'none', applies: 'acks' as 'all'}})),
      'INVALID_ARGUMENT',
      'path.down.loss: unknown variant `acks`, expected `all` or `data`',
    ],
    ['unknown key', () => new Simulation({...options(), sead: 1} as SimulationOptions), 'INVALID_ARGUMENT', 'sead'],
    ['endpoint', () => new Simulation(options()).read(7, 0), 'UNKNOWN_ENDPOINT', 'no endpoint 7'],
  ])('%s', (_, call, code, message) => {
    expect(codeOf(call)).toBe(code);
    expect(call).toThrow(message);
  });

  test('calls on a wrong transport, in a wrong state or after free throw errors with codes', () => {
    const simulation = new Simulation(options());
    const udp = open(simulation, 'udp').client;
    const tcp = open(simulation, 'tcp');
    const sctp = open(simulation, 'sctp').client;
    expect(codeOf(() => simulation.read(udp, 0))).toBe('WRONG_TRANSPORT');
    expect(codeOf(() => simulation.send(tcp.client, 0, new Uint8Array(1)))).toBe('WRONG_TRANSPORT');
    expect(codeOf(() => simulation.connect(udp))).toBe('WRONG_TRANSPORT');
    expect(() => simulation.connect(udp)).toThrow('UDP has no handshake');
    expect(codeOf(() => simulation.connect(tcp.server))).toBe('INVALID_STATE');
    expect(codeOf(() => simulation.read(tcp.client, 1))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => simulation.write(tcp.client, 1, new Uint8Array(1)))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => simulation.send(udp, 1, new Uint8Array(1)))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => simulation.send(sctp, 0, new Uint8Array(1)))).toBe('INVALID_STATE');
    expect(codeOf(() => simulation.renew(sctp, 0))).toBe('INVALID_STATE');
    expect(() => simulation.renew(tcp.client, 0)).toThrow('TCP has no streams to reset');
    expect(codeOf(() => simulation.send(udp, 0, new Uint8Array(1473)))).toBe('INVALID_ARGUMENT');
    simulation.free();
    expect(codeOf(() => simulation.nowNs)).toBe('FREED');
    expect(codeOf(() => simulation.free())).toBe('FREED');
  });

  test('a method that is called without its simulation throws', () => {
    const {advance} = Simulation.prototype;
    expect(() => advance.call({} as Simulation)).toThrow();
    const construct = Simulation as unknown as (options: SimulationOptions) => void;
    expect(codeOf(() => construct(options()))).toBe('INVALID_STATE');
  });

  test('a detached array throws, and is not treated as empty', () => {
    const simulation = new Simulation(options());
    const {client} = open(simulation, 'udp');
    const bytes = new Uint8Array(10);
    structuredClone(bytes.buffer, {transfer: [bytes.buffer]});
    expect(() => simulation.send(client, 0, bytes)).toThrow('detached');
    expect(simulation.send(client, 0, new Uint8Array(0))).toBe(true);
  });
});

describe('writeParts', () => {
  /** A connected client with this send buffer. */
  function connected(sendBufferBytes: number) {
    const simulation = new Simulation(options());
    const modern = {profile: 'modern'} as const;
    const {client, server} = simulation.openQuic({client: {...modern, sendBufferBytes}, server: modern});
    simulation.connect(client);
    simulation.advance();
    return {simulation, client, server};
  }

  /** The stream events of the server, with the bytes that it read. */
  function streamEvents(simulation: Simulation, server: number): unknown[] {
    const lines: unknown[] = [];
    for (let events = simulation.advance(1e10); events.length > 0; events = simulation.advance(1e10)) {
      for (const event of events) {
        if (event.endpoint !== server || !('stream' in event)) continue;
        const {type, stream} = event;
        lines.push([type, stream, ...(type === 'readable' ? simulation.read(server, stream) : [])]);
      }
    }
    return lines.sort();
  }

  test('writes each part to its stream, and ends the streams whose part says so', () => {
    const {simulation, client, server} = connected(4096);
    const parts = Uint32Array.of(0, 2, 1, 4, 1, 0, 8, 0, 1, 4, 1, 0);
    expect(simulation.writeParts(client, parts, Uint8Array.of(1, 2, 3, 4))).toBe(4);
    expect(streamEvents(simulation, server)).toEqual([
      ['finished', 0],
      ['finished', 8],
      ['readable', 0, 1, 2],
      ['readable', 4, 3, 4],
    ]);
  });

  test('stops after the part for which the buffer has no room, without ending its stream', () => {
    const {simulation, client, server} = connected(1024);
    const parts = Uint32Array.of(0, 1000, 1, 4, 30, 1, 8, 0, 1);
    expect(simulation.writeParts(client, parts, new Uint8Array(1030))).toBe(1024);
    const events = streamEvents(simulation, server) as [string, number][];
    expect(events.map(([type, stream]) => `${type} ${stream}`)).toEqual(['finished 0', 'readable 0', 'readable 4']);
  });

  test('refuses parts that do not match the bytes, and writes nothing', () => {
    const {simulation, client, server} = connected(4096);
    const wrong = [
      [0, 2, 0],
      [0, 4, 0],
      [0, 3],
      [0, 3, 2],
      [0, 2 ** 32 - 1, 0, 0, 4, 0],
    ];
    for (const parts of wrong) {
      const call = () => simulation.writeParts(client, Uint32Array.from(parts), new Uint8Array(3));
      expect(codeOf(call)).toBe('INVALID_ARGUMENT');
      expect(call).toThrow('invalid parts');
    }
    const words = [0, 0, 0] as unknown as Uint32Array;
    expect(codeOf(() => simulation.writeParts(client, words, new Uint8Array(0)))).toBe('INVALID_ARGUMENT');
    expect(streamEvents(simulation, server)).toEqual([]);
    const udp = open(simulation, 'udp').client;
    const none = Uint32Array.of(0, 0, 0);
    expect(codeOf(() => simulation.writeParts(udp, none, new Uint8Array(0)))).toBe('WRONG_TRANSPORT');
  });
});

describe('advanceInto', () => {
  const TYPES = [
    'connected',
    'readable',
    'message',
    'writable',
    'peer-closed',
    'closed',
    'finished',
    'reset',
    'renewed',
  ] as const;
  const REASONS = [
    'finished',
    'local-abort',
    'peer-abort',
    'connect-timeout',
    'data-timeout',
    'protocol-violation',
  ] as const;

  /** The events of a download, one line for each event with its bytes. */
  function eventLines(transport: 'tcp' | 'sctp', advance: (simulation: Simulation) => AppEvent[]): string[] {
    const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.05}}));
    const {client, server} = open(simulation, transport);
    const big = Uint8Array.from({length: 3000}, (_, i) => i % 251);
    const lines: string[] = [];
    simulation.connect(client);
    for (let events = advance(simulation); events.length > 0; events = advance(simulation)) {
      for (const event of events) {
        const {endpoint, type} = event;
        let bytes = 'bytes' in event ? (event.bytes as Uint8Array) : new Uint8Array(0);
        if (type === 'readable' && bytes.length === 0) bytes = simulation.read(endpoint, event.stream);
        const rest = 'reason' in event ? event.reason : 'stream' in event ? event.stream : '';
        lines.push(`${simulation.nowNs} ${endpoint} ${type} ${rest} ${bytes.join()}`);
        if (type === 'connected' && endpoint === server) {
          if (transport === 'tcp') simulation.write(server, 0, new Uint8Array(50_000).fill(7));
          else {
            simulation.renew(server, 2);
            for (let i = 0; i < 9; i++) simulation.send(server, i % 2, big);
          }
        }
        if (lines.length === 6) simulation.abort(server);
      }
    }
    return lines;
  }

  function advanceInto(simulation: Simulation, memory: Uint8Array): AppEvent[] {
    let into = memory;
    for (let size = -1; size > into.length || size < 0; ) {
      if (size > 0) into = new Uint8Array(size);
      size = simulation.advanceInto(1e12, into);
    }
    const numbers = new Float64Array(into.buffer, 0, into.length >> 3);
    expect(numbers[0]).toBe(simulation.nowNs);
    return Array.from({length: numbers[1] ?? 0}, (_, row) => {
      const [kind = 0, endpoint, detail = 0, at = 0, length = 0] = numbers.subarray(3 + 5 * row);
      const type = TYPES[kind];
      const bytes = into.slice(at, at + length);
      if (type === 'connected') return {endpoint, type, streams: detail};
      if (type === 'closed') return {endpoint, type, reason: REASONS[detail]};
      return {endpoint, type, stream: type === 'writable' ? undefined : detail, bytes};
    }) as AppEvent[];
  }

  test('reports which limit a run has reached, and does not continue the run', () => {
    const ended = (limits: {packets: number; steps: number} | undefined) => {
      const simulation = new Simulation({...options({}), ...(limits && {limits})});
      const {client} = open(simulation, 'tcp');
      simulation.connect(client);
      const into = new Uint8Array(1000);
      const numbers = new Float64Array(into.buffer);
      for (let call = 0; call < 20; call++) simulation.advanceInto(1e12, into);
      return [numbers[2], simulation.packets().bytes.length, simulation.nowNs];
    };
    const [limit, packets = 0, endNs] = ended(undefined);
    expect([limit, packets, endNs]).toEqual([0, expect.any(Number), 1e12]);
    expect(ended({packets: packets + 1, steps: 1000})).toEqual([0, packets, 1e12]);
    expect(ended({packets, steps: 1000})).toEqual([1, packets, expect.any(Number)]);
    expect(ended({packets: 1, steps: 1000})).toEqual([1, 1, 0]);
    expect(ended({packets: 1000, steps: 2})).toEqual([2, 1, expect.any(Number)]);
    for (const limits of [{packets: 0, steps: 1}, {packets: 1, steps: 0.5}, {packets: 1}]) {
      expect(() => new Simulation({...options({}), limits} as never)).toThrow(/limits|steps/);
    }
  });

  test.each(['tcp', 'sctp'] as const)('returns on %s the same events and bytes as advance and read', transport => {
    const lines = eventLines(transport, simulation => simulation.advance(1e12));
    expect(lines.join('\n')).toMatch(/connected.* 0 (readable|message) .*closed peer-abort/s);
    expect(lines.some(line => line.includes(' renewed 2 '))).toBe(transport === 'sctp');
    const withoutDetail = (line: string) => line.replace(/(writable|peer-closed) \w*/, '$1 ');
    for (const room of [1 << 16, 16, 0]) {
      const batches = eventLines(transport, simulation => advanceInto(simulation, new Uint8Array(room)));
      expect(batches.map(withoutDetail)).toEqual(lines.map(withoutDetail));
    }
  });

  test('writes nothing if the memory is too small', () => {
    const simulation = new Simulation(options());
    simulation.connect(open(simulation, 'tcp').client);
    const memory = new Uint8Array(63).fill(9);
    expect(simulation.advanceInto(1e12, memory)).toBe(64);
    const nowNs = simulation.nowNs;
    expect(memory).toEqual(new Uint8Array(63).fill(9));
    expect(simulation.advanceInto(1e12, new Uint8Array(64))).toBe(64);
    expect(simulation.nowNs).toBe(nowNs);
  });
});

describe('options as JSON', () => {
  test('give the same run as an object, and are refused if they are invalid', () => {
    const capture = (given: SimulationOptions | string) => {
      const simulation = new Simulation(given);
      download(simulation, 'sctp');
      return simulation.pcapng();
    };
    const plain = options({loss: {model: 'bernoulli', rate: 0.05}});
    expect(capture(JSON.stringify(plain))).toEqual(capture(plain));
    const wrong = {...plain, path: {...plain.path, mtuBytes: 'big'}};
    expect(() => new Simulation(JSON.stringify(wrong))).toThrow('invalid options.path.mtuBytes');
    for (const text of ['', '{', `${JSON.stringify(plain)}}`]) {
      expect(codeOf(() => new Simulation(text))).toBe('INVALID_ARGUMENT');
    }
  });

  test('keep every bit of a number', () => {
    for (let i = 1; i <= 2000; i++) {
      // the seed is not a whole number, so that the error has the number that was read
      const seed = (Math.sqrt(i) * 1.1 + 1 / 3) / 10 ** (i % 5);
      const text = JSON.stringify({...options(), seed});
      expect(() => new Simulation(text)).toThrow(`invalid seed: ${seed} (`);
    }
  });
});

test('wrong arguments never crash the process', () => {
  const methods = methodNames();
  const argument = fc.oneof(
    fc.anything(),
    fc.integer({min: 0, max: 6}),
    fc.uint8Array({maxLength: 50}),
    fc.constant(link),
  );
  const call = fc.tuple(fc.constantFrom(...methods), fc.array(argument, {maxLength: 4}));
  fc.assert(
    fc.property(fc.array(call, {maxLength: 30}), calls => {
      const simulation = new Simulation(options());
      for (const transport of ['tcp', 'sctp', 'udp'] as const) open(simulation, transport);
      for (const [name, given] of calls) {
        try {
          const method = simulation[name as keyof Simulation] as unknown as (...given: unknown[]) => unknown;
          if (name !== 'nowNs') method.apply(simulation, given);
        } catch (error) {
          expect((error as {code?: string}).code).not.toBe('INTERNAL');
        }
      }
    }),
    {numRuns: 300},
  );
});

describe('determinism', () => {
  const script = `
    import {createHash} from 'node:crypto';
    import {Simulation} from ${JSON.stringify(new URL('index.js', import.meta.url).href)};
    const link = {rateBps: 1e6, delayNs: 175e6, loss: {model: 'bernoulli', rate: 0.05}, queuePackets: 1000};
    const simulation = new Simulation({seed: 9, path: {down: link, up: link, mtuBytes: 1500}, record: {packets: true, bytes: true}});
    const {client, server} = simulation.openTcp({client: {profile: 'modern'}, server: {profile: 'classic'}});
    simulation.connect(client);
    for (let events = simulation.advance(); events.length > 0; events = simulation.advance())
      for (const event of events)
        if (event.type === 'connected' && event.endpoint === server) { simulation.write(server, 0, new Uint8Array(50000)); simulation.close(server); }
        else if (event.type === 'readable') simulation.read(event.endpoint, event.stream);
        else if (event.type === 'peer-closed') simulation.close(client);
    const hash = createHash('sha256').update(simulation.pcapng()).digest('hex');
  `;

  test('two processes and a worker give the same capture', async () => {
    const inProcess = () =>
      execFileSync(process.execPath, ['--input-type=module', '-e', `${script} console.log(hash);`], {
        encoding: 'utf8',
      }).trim();
    const inWorker = new Promise(resolve => {
      const code = `${script} import {parentPort} from 'node:worker_threads'; parentPort.postMessage(hash);`;
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`)).once('message', resolve);
    });
    const hash = inProcess();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([inProcess(), await inWorker]).toEqual([hash, hash]);
  });

  test('two runs with the same options give the same capture', () => {
    const capture = () => {
      const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.1}}));
      download(simulation, 'sctp');
      return createHash('sha256').update(simulation.pcapng()).digest('hex');
    };
    expect(capture()).toBe(capture());
  });
});

describe('index.d.ts agrees with the addon', () => {
  test('the class has exactly the declared methods', () => {
    const real = Object.getOwnPropertyNames(Simulation.prototype).filter(name => name !== 'constructor');
    expect(real.sort()).toEqual([...methodNames()].sort());
  });

  test.each(['Packet', 'Chunk', 'Sample', 'Blocked'] as const)('%sColumns has the declared columns', name => {
    const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.1}}));
    download(simulation, 'sctp');
    const columns: object = {
      Packet: simulation.packets(),
      Chunk: simulation.chunks(),
      Sample: simulation.samples(),
      Blocked: simulation.blocked(),
    }[name];
    const real = Object.entries(columns).map(([key, column]) => [key, column.constructor.name]);
    expect(real).toEqual(fieldsOf(`${name}Columns`));
    const lengths = new Set(Object.values(columns).map(column => column.length));
    expect([...lengths]).toEqual([expect.any(Number)]);
    expect([...lengths][0]).toBeGreaterThan(0);
  });

  test('events have the declared fields', () => {
    const declared = new Map(
      [...declaration.matchAll(/\| \{endpoint: number; type: '([a-z-]+)'(.*?)\}/g)].map(([, type, fields]) => [
        type,
        [...(fields ?? '').matchAll(/(\w+): /g)].map(([, field]) => field).sort(),
      ]),
    );
    const seen = new Map<string, string[]>();
    for (const transport of ['tcp', 'sctp'] as const) {
      const simulation = new Simulation(options());
      const {client, server} = open(simulation, transport);
      simulation.connect(client);
      for (let events = simulation.advance(); events.length > 0; events = simulation.advance()) {
        for (const {endpoint, type, ...fields} of events) {
          seen.set(type, Object.keys(fields).sort());
          if (type === 'connected' && endpoint === server) {
            if (transport === 'tcp') simulation.write(server, 0, new Uint8Array(4_000_000));
            else {
              simulation.send(server, 0, new Uint8Array(1000));
              simulation.renew(server, 1);
            }
          }
          if (type === 'readable') simulation.read(endpoint, 0);
          if (type === 'writable' || type === 'renewed') simulation.close(server);
          if (type === 'peer-closed') simulation.close(client);
        }
      }
    }
    const quic = new Simulation(options());
    const ends = quic.openQuic({client: {profile: 'modern'}, server: {profile: 'modern', aheadBytes: 6000}});
    quic.connect(ends.client);
    for (let events = quic.advance(1e9); events.length > 0; events = quic.advance(1e9)) {
      for (const {endpoint, type, ...fields} of events) {
        seen.set(type, Object.keys(fields).sort());
        if (type !== 'connected' || endpoint !== ends.client) continue;
        for (const stream of [0, 4]) quic.write(endpoint, stream, new Uint8Array(10));
        quic.finish(endpoint, 0);
        quic.reset(endpoint, 4, 7);
      }
    }
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(declared));
  });
});

describe.skipIf(readCapture === undefined)('readCapture', () => {
  test('returns the packets of a capture that a simulation made', () => {
    const simulation = new Simulation(options({loss: {model: 'bernoulli', rate: 0.1}}));
    download(simulation, 'tcp');
    const {sentNs, bytes, direction, fate} = simulation.packets();
    const file = simulation.pcapng('interleave 1.2.3');
    const capture = readCapture(file);
    const texts: CaptureTexts = JSON.parse(new TextDecoder().decode(capture.texts));
    expect(texts).toMatchObject({application: 'interleave 1.2.3', keys: '', notes: []});
    expect([capture.atNs, capture.bytes, capture.length]).toEqual([sentNs, bytes, bytes]);
    const names = ['down (server to client)', 'up (client to server)'];
    expect(Array.from(capture.interface, index => texts.texts[index])).toEqual(
      Array.from(direction, way => names[way]),
    );
    const comments = new Map([[2, 'dropped: lost on the path']]);
    expect(fate).toContain(2);
    expect(Array.from(capture.comment, index => texts.texts[index])).toEqual(
      Array.from(fate, each => comments.get(each) ?? ''),
    );
    for (const at of capture.start) expect(file[at]).toBe(0x45);
    simulation.free();
  });

  test('throws an error with a code for bytes that are not a capture, and for other arguments', () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), 'file' as never, undefined as never])
      expect(() => readCapture(bytes)).toThrow(expect.objectContaining({code: 'INVALID_ARGUMENT'}));
  });
});

const declaration = readFileSync(join(import.meta.dirname, 'index.d.ts'), 'utf8');
/** index.d.ts imports the types of columns from this file. */
const columnTypes = readFileSync(join(import.meta.dirname, '../../app/run/trace/columns.ts'), 'utf8');

/** The names of the methods and getters that the declaration of the class has. */
function methodNames(): string[] {
  const body = /export class Simulation \{(.*?)\n\}/s.exec(declaration)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)]
    .map(([, name]) => name ?? '')
    .filter(name => name !== 'constructor');
}

/** The names and types of the fields that the declaration of an interface has. */
function fieldsOf(name: string): string[][] {
  const body = new RegExp(`export interface ${name} \\{(.*?)\\n\\}`, 's').exec(columnTypes)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+): (\w+);/gm)].map(([, field, type]) => [field ?? '', type ?? '']);
}
