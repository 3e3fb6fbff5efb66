import {expect, test} from 'vitest';
import {type AppEvent, Association, Listener, TcpConnection} from '../addon/index.js';
import {type Draw, drawsOf, mutantOf} from './mutants.ts';
import {withChecksum} from './sctpChecksum.ts';
import {withTcpChecksum} from './tcpChecksum.ts';

// Real packets, and wrong copies of them, for the ends that live loads and servers are made of. By hand, for long:
//   INTERLEAVE_FUZZ=10000 npx vitest run native/interop/fuzz.test.ts
const ROUNDS = Number(process.env['INTERLEAVE_FUZZ'] ?? 20);
/** Of the first round; an error names its own. */
const FIRST_SEED = Number(process.env['INTERLEAVE_FUZZ_SEED'] ?? 1);

/** What both classes of ends have. */
type End = Pick<
  Association,
  'handlePacket' | 'handleTimeout' | 'pollTransmit' | 'pollEvents' | 'nextTimeoutNs'
> & {
  free(): void;
};

interface Ends {
  readonly client: End;
  /** Undefined until it is there. */
  server(): End | undefined;
  /** What comes from the client, also while there is no server; gives what is answered then. */
  toServer(packet: Uint8Array, nowNs: number): Uint8Array[];
  /** Both write again, if that is left to do. */
  write(): void;
  /** All has come, as it was sent. */
  isDone(): boolean;
  /** What each was told. */
  tell(isClient: boolean, events: readonly AppEvent[]): void;
  repair(packet: Uint8Array): Uint8Array;
}

function sctpEnds(seed: number): Ends {
  const both = {sctp: {profile: 'modern', streams: 4}, mtuBytes: 1492} as const;
  const listener = new Listener({...both, port: 80}, new Uint8Array(64).fill(3));
  const client = new Association({...both, port: 40_000, peerPort: 80, seed});
  client.connect();
  let server: Association | undefined;
  const wanted = Uint8Array.from({length: 3000}, (_, at) => at % 251);
  const came: number[] = [];
  let [asked, answered] = [false, false];
  const connected = {client: false, server: false};
  return {
    client,
    server: () => server,
    toServer: (packet, nowNs) => {
      // as main/live does
      if (server !== undefined) server.handlePacket(listener.unsealed('peer', packet) ?? packet, nowNs);
      const {send, association} = listener.handlePacket('peer', packet, nowNs);
      if (server === undefined) server = association;
      else association?.free();
      return send === undefined ? [] : [send];
    },
    write: () => {
      if (connected.client && !asked) asked = client.send(1, new Uint8Array([1, 2, 3]));
      if (connected.server && !answered) answered = server?.send(2, wanted) ?? false;
    },
    tell: (isClient, events) => {
      for (const event of events) {
        if (event.type === 'connected') connected[isClient ? 'client' : 'server'] = true;
        if (event.type === 'message' && isClient) came.push(...event.bytes);
      }
    },
    isDone: () => Buffer.from(came).equals(wanted),
    repair: withChecksum,
  };
}

function tcpEnds(seed: number): Ends {
  const both = {tcp: {profile: 'modern'}, mtuBytes: 1492} as const;
  const client = new TcpConnection({...both, role: 'client', port: 40_000, peerPort: 80, seed});
  const server = new TcpConnection({...both, role: 'server', port: 80, peerPort: 40_000, seed: seed + 1});
  client.connect();
  const wanted = Uint8Array.from({length: 6000}, (_, at) => at % 251);
  const came: number[] = [];
  let written = 0;
  return {
    client,
    server: () => server,
    toServer: (packet, nowNs) => {
      server.handlePacket(packet, nowNs);
      return [];
    },
    write: () => {
      if (written < wanted.length) written += server.write(wanted.subarray(written));
    },
    tell: isClient => {
      if (isClient) came.push(...client.read());
      else server.read();
    },
    isDone: () => Buffer.from(came).equals(wanted),
    repair: withTcpChecksum,
  };
}

/** Carries packets for a while, each in the company of mutants. */
function exchange(ends: Ends, draw: Draw, isForged: boolean): void {
  const {client} = ends;
  const seen: Uint8Array[] = [];
  const withMutants = (packet: Uint8Array, take: (packet: Uint8Array) => void): void => {
    seen.push(packet);
    // what is forged is so on purpose
    if (!Buffer.from(packet).equals(ends.repair(packet.slice()))) throw new Error('another checksum');
    for (let left = draw(4); left > 0; left--) {
      const mutant = mutantOf(packet, seen, draw);
      const repaired = ends.repair(mutant.slice());
      if (isForged) take(draw(4) > 0 ? repaired : mutant);
      // TCP's checksum does not see all damage
      else if (!Buffer.from(repaired).equals(mutant)) take(mutant);
    }
    take(packet);
  };
  for (let [step, nowNs] = [0, 0]; step < MOST_STEPS && !ends.isDone(); step++) {
    try {
      ends.write();
    } catch (error) {
      // an end that a forged packet has closed, or left without a stream, takes nothing more
      if (!isForged || (error as {code?: string}).code === 'INTERNAL') throw error;
      return;
    }
    const down = ends.server()?.pollTransmit(nowNs) ?? [];
    for (const packet of client.pollTransmit(nowNs)) {
      withMutants(packet, each => down.push(...ends.toServer(each, nowNs)));
    }
    for (const packet of down) withMutants(packet, each => client.handlePacket(each, nowNs));
    const server = ends.server();
    ends.tell(true, client.pollEvents());
    if (server !== undefined) ends.tell(false, server.pollEvents());
    nowNs += 10e6;
    if (down.length === 0)
      nowNs = Math.max(nowNs, Math.min(client.nextTimeoutNs, server?.nextTimeoutNs ?? nowNs, nowNs + 1e11));
    for (const end of [client, server]) end?.handleTimeout(nowNs);
  }
}

test.each([
  ['an association', sctpEnds],
  ['a connection of TCP in UDP', tcpEnds],
])(
  '%s is not changed by damaged packets, and survives forged ones',
  (_, open) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
      for (const isForged of [false, true]) {
        const ends = open(seed);
        const where = `seed ${seed}, ${isForged ? 'forged' : 'damaged'}`;
        expect(() => exchange(ends, drawsOf(seed), isForged), where).not.toThrow();
        if (!isForged) expect(ends.isDone(), where).toBe(true);
        ends.client.free();
        ends.server()?.free();
      }
    }
  },
  60_000 + ROUNDS * 100,
);

const MOST_STEPS = 200;
