// Fuzzes the addon's transports. Two ends exchange packets, mixed with damaged and forged copies. This command runs
// more rounds: INTERLEAVE_FUZZ=10000 npx vitest run native/interop/fuzz.test.ts
import {expect, test} from 'vitest';
import {beforeRetry} from '../../main/live/base/quicDatagram.ts';
import {type AppEvent, Association, Listener, QuicConnection, QuicListener, TcpConnection} from '../addon/index.js';
import {type Draw, drawsOf, mutantOf} from './testing/mutants.ts';
import {forgedRetry, forgedVersionNegotiation, idsOf, withOtherFrames} from './testing/quicInitial.ts';
import {withChecksum} from './testing/sctpChecksum.ts';
import {withTcpChecksum} from './testing/tcpChecksum.ts';

const ROUNDS = Number(process.env['INTERLEAVE_FUZZ'] ?? 20);
/** The seed of the first round. An error names the seed of its round. */
const FIRST_SEED = Number(process.env['INTERLEAVE_FUZZ_SEED'] ?? 1);

/** The methods that all transport classes of the addon have. */
type End = Pick<Association, 'handlePacket' | 'handleTimeout' | 'pollTransmit' | 'pollEvents' | 'nextTimeoutNs'> & {
  free(): void;
};

interface Ends {
  readonly client: End;
  /** Undefined until the server's end exists. */
  server(): End | undefined;
  /**
   * Passes a packet to the server's end, or to the listener if there is no server's end yet. Returns the listener's
   * answers.
   */
  toServer(packet: Uint8Array, nowNs: number): Uint8Array[];
  /** Writes what both ends still have to write. */
  write(): void;
  /** Whether all data has arrived unchanged. */
  isDone(): boolean;
  /** Handles the events of one end. */
  handleEvents(isClient: boolean, events: readonly AppEvent[]): void;
  readonly wrong: Wrong;
}

/** Makes wrong copies of the last packet in `seen`. Its methods return undefined if no copy is possible. */
interface Wrong {
  /** Makes a copy that the receiver can recognize as wrong. */
  damaged(seen: readonly Uint8Array[], draw: Draw, isUp: boolean): Uint8Array | undefined;
  /** Makes a copy like that of an attacker who knows everything that the receiver checks. */
  forged(seen: readonly Uint8Array[], draw: Draw, isUp: boolean): Uint8Array | undefined;
}

/** Makes wrong copies for protocols in which only a checksum reveals them. */
function byChecksum(repair: (packet: Uint8Array) => Uint8Array): Wrong {
  const mutant = (seen: readonly Uint8Array[], draw: Draw): Uint8Array => {
    const packet = seen.at(-1) ?? new Uint8Array();
    // If `repair` changes the packet, it computes another checksum than the addon.
    if (!Buffer.from(packet).equals(repair(packet.slice()))) throw new Error('another checksum');
    return mutantOf(packet, seen, draw);
  };
  return {
    damaged: (seen, draw) => {
      const made = mutant(seen, draw);
      // TCP's checksum does not detect all damage.
      return Buffer.from(repair(made.slice())).equals(made) ? undefined : made;
    },
    forged: (seen, draw) => {
      const made = mutant(seen, draw);
      return draw(4) > 0 ? repair(made) : made;
    },
  };
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
      // This is the same order of calls as in main/live.
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
    handleEvents: (isClient, events) => {
      for (const event of events) {
        if (event.type === 'connected') connected[isClient ? 'client' : 'server'] = true;
        if (event.type === 'message' && isClient) came.push(...event.bytes);
      }
    },
    isDone: () => Buffer.from(came).equals(wanted),
    wrong: byChecksum(withChecksum),
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
    handleEvents: isClient => {
      if (isClient) came.push(...client.read());
      else server.read();
    },
    isDone: () => Buffer.from(came).equals(wanted),
    wrong: byChecksum(withTcpChecksum),
  };
}

/**
 * Creates the ends of a QUIC connection. For every fourth seed the server validates the client's address with a Retry.
 */
function quicEnds(seed: number): Ends {
  const both = {quic: {profile: 'modern'}, mtuBytes: 1500} as const;
  const key = Uint8Array.from({length: 64}, (_, at) => seed >> (8 * (at % 4)));
  const listener = newQuicListener();
  const client = new QuicConnection({...both, fingerprint: listener.fingerprint}, key);
  client.connect();
  let server: QuicConnection | undefined;
  const wanted = Uint8Array.from({length: 6000}, (_, at) => at % 251);
  const came: number[] = [];
  let [isConnected, isAsked] = [false, false];
  let [asked, answered] = [0, 0];
  const written = (end: QuicConnection, bytes: Uint8Array): number =>
    end.writeParts(Uint32Array.of(0, bytes.length, 1), bytes);
  return {
    client,
    server: () => server,
    toServer: (datagram, nowNs) => {
      // This is the same order of calls as in main/live.
      const packet = beforeRetry(Buffer.from(datagram));
      if (server !== undefined) {
        server.handlePacket(packet, nowNs);
        return [];
      }
      const {send, connection} = listener.handlePacket('peer', packet, nowNs, seed % 4 === 0);
      server = connection;
      return send === undefined ? [] : [send];
    },
    write: () => {
      if (isConnected && asked === 0) asked = written(client, new Uint8Array([1, 2, 3]));
      if (isAsked && server !== undefined && answered === 0) answered = written(server, wanted);
    },
    handleEvents: (isClient, events) => {
      for (const event of events) {
        if (event.type === 'connected' && isClient) isConnected = true;
        if (event.type !== 'readable') continue;
        if (isClient) came.push(...client.read(event.stream));
        else isAsked = (server?.read(event.stream).length ?? 0) > 0 || isAsked;
      }
    },
    isDone: () => Buffer.from(came).equals(wanted),
    wrong: quicWrong(() => server !== undefined),
  };
}

/** QUIC authenticates packets, but anyone on the path can forge Initial packets, Retry and Version Negotiation. */
function quicWrong(hasServer: () => boolean): Wrong {
  let first = new Uint8Array();
  let answer: Uint8Array | undefined;
  let hasRetry = false;
  const note = (packet: Uint8Array, isUp: boolean): void => {
    if (isUp && !hasServer()) first = new Uint8Array(packet);
  };
  const outOfNowhere = (packet: Uint8Array, draw: Draw): Uint8Array =>
    draw(2) === 0 ? forgedVersionNegotiation(first) : forgedRetry(first, packet.slice(0, 8), packet.slice(0, 20));
  return {
    damaged: (seen, draw, isUp) => {
      const packet = seen.at(-1) ?? new Uint8Array();
      note(packet, isUp);
      // A Retry is never damaged, because quinn rejects the correct Retry after a damaged one. Packets with the token
      // of a Retry are never damaged either, because a server answers a wrong token with INVALID_TOKEN (RFC 9000
      // §8.1.3).
      hasRetry ||= !isUp && !hasServer();
      if (hasRetry && !hasServer()) return undefined;
      // A client that has received an answer ignores Retry and Version Negotiation (RFC 9000 §6.2, §17.2.5.2).
      if (!isUp && hasServer()) answer ??= packet;
      if (!isUp && answer !== undefined && answer !== packet && draw(3) === 0) return outOfNowhere(packet, draw);
      const mutant = mutantOf(packet, seen, draw);
      // Leave out copies that look like Version Negotiation, because a client cannot recognize them as wrong.
      return !isUp && mutant.subarray(1, 5).every(byte => byte === 0) ? undefined : mutant;
    },
    forged: (seen, draw, isUp) => {
      const packet = seen.at(-1) ?? new Uint8Array();
      note(packet, isUp);
      if (!isUp && draw(8) === 0) return outOfNowhere(packet, draw);
      const id = idsOf(first)?.destination ?? new Uint8Array();
      const changed = (frames: Uint8Array): Uint8Array => {
        const mutant = mutantOf(frames, seen, draw);
        // Most copies are padded, because a server ignores a small datagram with an Initial packet (RFC 9000 §14.1).
        const padding = Math.max(0, draw(4) === 0 ? 0 : frames.length - mutant.length);
        return Buffer.concat([mutant, new Uint8Array(padding)]);
      };
      const sender = isUp ? 'client' : 'server';
      return withOtherFrames(packet, {id, sender}, changed) ?? mutantOf(packet, seen, draw);
    },
  };
}

/** Creates a listener. The ids and the certificate are the same for every listener. */
function newQuicListener(): QuicListener {
  const options = {mtuBytes: 1500, receiveBytes: 65_536, names: ['localhost']};
  return new QuicListener({quic: {profile: 'modern'}, ...options}, new Uint8Array(64).fill(3));
}

/**
 * Exchanges packets between the ends. Some wrong copies precede each packet. Ends when all data has arrived or after
 * {@link MOST_STEPS}.
 */
function exchange(ends: Ends, draw: Draw, isForged: boolean): void {
  const {client} = ends;
  const seen: Uint8Array[] = [];
  const withMutants = (packet: Uint8Array, isUp: boolean, take: (packet: Uint8Array) => void): void => {
    seen.push(packet);
    const make = isForged ? ends.wrong.forged : ends.wrong.damaged;
    for (let left = draw(4); left > 0; left--) {
      const mutant = make(seen, draw, isUp);
      if (mutant !== undefined) take(mutant);
    }
    take(packet);
  };
  for (let [step, nowNs] = [0, 0]; step < MOST_STEPS && !ends.isDone(); step++) {
    try {
      ends.write();
    } catch (error) {
      // A forged packet may have closed the end or its stream, so that writing fails.
      if (!isForged || (error as {code?: string}).code === 'INTERNAL') throw error;
      return;
    }
    const down = ends.server()?.pollTransmit(nowNs) ?? [];
    for (const packet of client.pollTransmit(nowNs)) {
      withMutants(packet, true, each => down.push(...ends.toServer(each, nowNs)));
    }
    for (const packet of down) withMutants(packet, false, each => client.handlePacket(each, nowNs));
    const server = ends.server();
    ends.handleEvents(true, client.pollEvents());
    if (server !== undefined) ends.handleEvents(false, server.pollEvents());
    nowNs += 10e6;
    if (down.length === 0)
      nowNs = Math.max(nowNs, Math.min(client.nextTimeoutNs, server?.nextTimeoutNs ?? nowNs, nowNs + 1e11));
    for (const end of [client, server]) end?.handleTimeout(nowNs);
  }
}

test.each([
  ['an association', sctpEnds],
  ['a connection of TCP in UDP', tcpEnds],
  ['a connection of QUIC', quicEnds],
])(
  '%s ignores damaged packets and survives forged ones',
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

test('before the server answers, both ends accept packets forged by someone who has seen the first datagram', () => {
  const newClient = (seed: number): QuicConnection => {
    const key = new Uint8Array(64).fill(seed);
    const options = {quic: {profile: 'modern'}, mtuBytes: 1500, fingerprint: 'ab'.repeat(32)} as const;
    const client = new QuicConnection(options, key);
    client.connect();
    return client;
  };
  const [asking, refused, sentOn] = [newClient(1), newClient(2), newClient(3)];
  const [first = new Uint8Array()] = asking.pollTransmit(0);
  const id = idsOf(first)?.destination ?? new Uint8Array();
  const same = withOtherFrames(first, {id, sender: 'client'}, frames => frames) ?? new Uint8Array();
  expect(Buffer.from(same).equals(first)).toBe(false);
  const {connection} = newQuicListener().handlePacket('other', same, 0, false);
  expect(connection).toBeDefined();

  const [second = new Uint8Array()] = refused.pollTransmit(0);
  refused.handlePacket(forgedVersionNegotiation(second), 1);
  expect(refused.pollEvents()).toMatchObject([{type: 'closed'}]);

  const [third = new Uint8Array()] = sentOn.pollTransmit(0);
  const elsewhere = new Uint8Array(8).fill(9);
  sentOn.handlePacket(forgedRetry(third, elsewhere, new Uint8Array(20)), 1);
  expect(idsOf(sentOn.pollTransmit(1)[0] ?? new Uint8Array())?.destination).toEqual(Buffer.from(elsewhere));
  for (const end of [asking, refused, sentOn, connection]) end?.free();
});

const MOST_STEPS = 200;
