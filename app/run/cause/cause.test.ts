import {describe, expect, test} from 'vitest';
import {FATE} from '../trace/columns.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {type Cause, causeOf, type DataCargo, endOfEffectNs, objectsConcerned} from './cause.ts';
import {causeMarksAt} from './causeMarks.ts';
import {causeSentence, causeSentenceAt, noticedWord, waitingObjects} from './causeSentence.ts';

const MS = 1e6;
const small = new Trace(smallTrace());

test('a packet that was not lost has no cause', () => {
  expect(causeOf(small, 2)).toBeUndefined();
  expect(causeOf(small, 99)).toBeUndefined();
});

describe('data that is sent again after a timeout', () => {
  const cause = causeIn(smallTrace(), 3);

  test('is followed from the loss to its arrival', () => {
    expect(cause).toMatchObject({packet: 3, from: 'server', lostNs: 25 * MS, fate: FATE.lost});
    expect(dataOf(cause)).toEqual({
      kind: 'data',
      parts: [{object: 1, bytes: 100}],
      isAgain: false,
      isNeedless: false,
      sendings: [
        {
          packet: 5,
          sentNs: 60 * MS,
          arrivedNs: 70 * MS,
          isLost: false,
          noticed: {by: 'timeout', atNs: 60 * MS, timerNs: null},
        },
      ],
      arrivedNs: 70 * MS,
      waited: [{object: 1, startNs: 40 * MS, endNs: 70 * MS, bytes: 200}],
      still: [{object: 1, fromNs: 30 * MS, toNs: 70 * MS}],
      pageStillFromNs: 30 * MS,
      othersThatGrew: [],
    });
    expect(endOfEffectNs(cause, small)).toBe(70 * MS);
    expect(objectsConcerned(cause)).toEqual([1]);
  });

  test('has a sentence that explains it', () => {
    expect(causeSentence(small, cause)).toBe(
      'Lost at 0.03 s: 25 % of image.jpg; noticed after 35 ms by a timeout and sent again, arrived at 0.07 s. ' +
        'Meanwhile nothing on the page moved for 40 ms.',
    );
  });

  test('the sentence contains only what is known at t', () => {
    const told = (ms: number) => causeSentenceAt(small, cause, ms * MS);
    expect(told(24.9)).toBe('');
    for (const ms of [25, 60, 69.9]) expect(told(ms)).toBe('Lost at 0.03 s: 25 % of image.jpg; not repaired yet.');
    expect(causeSentenceAt(small, cause, 70 * MS - 1)).toBe(causeSentence(small, cause));
  });

  test('has a known timer duration if a packet was sent or arrived one RTO before the timeout', () => {
    const data = smallTrace();
    const rtoNs = data.samples.rtoNs.map(() => 30 * MS);
    const timed = causeIn({...data, samples: {...data.samples, rtoNs}}, 3);
    expect(dataOf(timed).sendings[0]?.noticed).toEqual({by: 'timeout', atNs: 60 * MS, timerNs: 30 * MS});
    expect(causeSentence(small, timed)).toContain('by a timeout of 30 ms');
  });

  test('counts as a probe if the samples show no timeout; in recovery without reports, the reason is unknown', () => {
    const data = smallTrace();
    const states = (...state: readonly number[]) =>
      noticedIn({...data, samples: {...data.samples, state: Uint8Array.from(state)}});
    expect(states(1, 1, 1)).toEqual({by: 'probe', atNs: 60 * MS});
    // The server is in recovery without any report, so the reason is unknown.
    expect(states(1, 1, 3)).toBeNull();
    expect(states(1, 3, 1)).toBeNull();
  });
});

describe('gap reports', () => {
  /**
   * How the loss was noticed, if the client's acknowledgements were sent and arrived at these times. Acknowledgements
   * that were sent after later data had arrived report the gap.
   */
  const reported = (...acks: readonly (readonly [sentMs: number, cameMs: number])[]) =>
    noticedIn(withPackets({...smallTrace(), samples: withState(3)}, acks));

  test('are the acknowledgements that were sent after more of the later data had arrived', () => {
    // Packet 4 arrives at 40 ms. An acknowledgement that is sent at 39 ms cannot report the gap. One that is sent at
    // 50 ms reports no more than one that is sent at 41 ms.
    expect(reported([39, 60])).toBeNull();
    expect(reported([41, 60])).toMatchObject({by: 'reports', count: 1, isThird: false});
    expect(reported([41, 55], [50, 60])).toMatchObject({by: 'reports', count: 1});
  });

  test('that all arrive before the retransmission show that a timer caused the retransmission', () => {
    expect(reported([41, 59])).toEqual({by: 'timer', atNs: 60 * MS, count: 1});
  });

  test('that arrive after the retransmission do not count', () => {
    expect(reported([41, 61])).toBeNull();
  });
});

test('a lost retransmission is a step in the explanation of the first loss, and also a loss itself', () => {
  const data = smallTrace();
  const {packets, chunks, chunkPieces} = data;
  // Packet 5 is lost, too, and its data arrives with packet 6 at 90.
  const twice: TraceData = {
    ...data,
    endNs: 90 * MS,
    objects: data.objects.map((object, i) => (i === 1 ? {...object, completeNs: 90 * MS} : object)),
    deliveries: {...data.deliveries, atNs: Float64Array.of(20 * MS, 30 * MS, 90 * MS)},
    packets: {
      endpoint: Uint32Array.of(...packets.endpoint, 1),
      direction: Uint8Array.of(...packets.direction, 0),
      bytes: Uint32Array.of(...packets.bytes, 140),
      sentNs: Float64Array.of(...packets.sentNs, 80 * MS),
      leftNs: Float64Array.of(...packets.leftNs.subarray(0, 5), Number.NaN, 85 * MS),
      copyNs: Float64Array.of(...packets.copyNs, Number.NaN),
      ecn: Uint8Array.of(...packets.ecn, 0),
      marked: Uint8Array.of(...packets.marked, 0),
      fate: Uint8Array.of(...packets.fate.subarray(0, 5), 3, 1),
      fateNs: Float64Array.of(...packets.fateNs.subarray(0, 5), 60 * MS, 90 * MS),
      kind: Uint8Array.of(...packets.kind, 1),
      cumulativeAck: Float64Array.of(...packets.cumulativeAck, 0),
    },
    chunks: {
      packet: Uint32Array.of(...chunks.packet, 6),
      first: Float64Array.of(...chunks.first, 200),
      bytes: Uint32Array.of(...chunks.bytes, 100),
      stream: new Uint32Array(6),
      message: new Uint32Array(6),
      retransmission: Uint8Array.of(...chunks.retransmission, 1),
    },
    chunkPieces: {
      row: Uint32Array.of(...chunkPieces.row, 5),
      object: Uint32Array.of(...chunkPieces.object, 1),
      bytes: Uint32Array.of(...chunkPieces.bytes, 100),
    },
    blocked: {...data.blocked, endNs: Float64Array.of(90 * MS)},
  };
  const first = causeIn(twice, 3);
  expect(dataOf(first).sendings.map(({packet, isLost, arrivedNs}) => [packet, isLost, arrivedNs])).toEqual([
    [5, true, null],
    [6, false, 90 * MS],
  ]);
  expect(causeSentence(new Trace(twice), first)).toContain(
    'sent again; that copy was lost, too, and another was sent at 0.08 s, arrived at 0.09 s',
  );
  const second = causeIn(twice, 5);
  expect(second.fate).toBe(FATE.queueFull);
  // Data that waited before the loss continues to wait.
  expect(dataOf(second)).toMatchObject({
    isAgain: true,
    arrivedNs: 90 * MS,
    waited: [{object: 1, startNs: 60 * MS, endNs: 90 * MS}],
  });
  expect(causeSentence(new Trace(twice), second)).toMatch(
    /^Dropped by a full queue at 0.06 s: 25 % of image\.jpg, in a retransmission; /,
  );
});

test('the loss of a needless copy has no effect', () => {
  const data = smallTrace();
  const {packets, chunks} = data;
  // Packet 5 is lost. It carries the same data as packet 2, which was delivered at 30.
  const fate = packets.fate.with(5, 2).with(3, 1);
  const needless = causeIn(
    {...data, packets: {...packets, fate}, chunks: {...chunks, first: chunks.first.with(4, 100)}},
    5,
  );
  expect(dataOf(needless)).toMatchObject({isNeedless: true, sendings: [], still: [], othersThatGrew: []});
  expect(causeSentence(small, needless)).toContain('The loss had no effect');
  expect(endOfEffectNs(needless, small)).toBe(needless.lostNs);
});

describe('lost data of no object, such as a message of TLS', () => {
  const {chunkPieces, ...data} = smallTrace();
  const pieces = {
    row: chunkPieces.row.map(row => (row === 2 ? 3 : row)),
    object: chunkPieces.object,
    bytes: chunkPieces.bytes,
  };
  const trace = new Trace({...data, chunkPieces: pieces});
  const cause = causeIn(trace.data, 3);

  test('has a sentence that says so', () => {
    expect(dataOf(cause).parts).toEqual([]);
    expect(causeSentence(trace, cause)).toMatch(
      /^Lost at 0\.03 s: data of the server that belongs to no object; noticed/,
    );
    expect(causeSentence(trace, {...cause, from: 'browser'})).toMatch(
      /^Lost at 0\.03 s: data of the browser that belongs to no object; noticed/,
    );
  });

  test('is called lost data, not an object, in the mark of an object that waits for it', () => {
    expect(causeMarksAt(trace, cause, 50 * MS)).toEqual([{object: 1, text: 'waits for lost data'}]);
  });
});

test('the effect of a loss lasts until the end of the run if its data never arrive', () => {
  const data = smallTrace();
  const fate = data.packets.fate.with(5, 2);
  const never = {...data, endNs: 100 * MS, packets: {...data.packets, fate}};
  const cause = causeIn(never, 3);
  expect(dataOf(cause)).toMatchObject({arrivedNs: null, still: []});
  expect(endOfEffectNs(cause, new Trace(never))).toBe(100 * MS);
  expect(causeSentence(small, cause)).toContain('sent again, lost too.');
});

describe('a lost packet without data', () => {
  const control = (kind: number, ack: number, rest: Partial<TraceData> = {}): string => {
    const data = smallTrace();
    const {packets} = data;
    const changed = {
      ...packets,
      fate: packets.fate.with(0, 2),
      kind: packets.kind.with(0, kind),
      cumulativeAck: packets.cumulativeAck.with(0, ack),
    };
    const trace = {...data, ...rest, packets: rest.packets ?? changed};
    return causeSentence(new Trace(trace), causeIn(trace, 0));
  };

  test('an acknowledgement is replaced by the next one that acknowledges at least the same data', () => {
    expect(control(2, 0)).toBe(
      'Lost at 0.01 s: an acknowledgement from the browser. No later acknowledgement arrived.',
    );
    const data = withPackets(smallTrace(), [[30, 35]], 300);
    const lost = {...data.packets, fate: data.packets.fate.with(0, 2), kind: data.packets.kind.with(0, 2)};
    const sentence = (ack: number) =>
      control(2, ack, {...data, packets: {...lost, cumulativeAck: lost.cumulativeAck.with(0, ack)}});
    expect(sentence(0)).toContain('It delayed nothing: a later one replaced it after 30 ms.');
    expect(sentence(301)).toContain('No later acknowledgement arrived.');
    // Packet 1, with bytes 0–100, was sent after the lost acknowledgement of 50 bytes.
    expect(sentence(50)).toContain('the server sent data again that had arrived');
  });

  test('over QUIC, data counts as sent again only if the same bytes of the stream had arrived', () => {
    // The second acknowledgement of the client is lost. It was sent at 50, before packet 7 repeats the data of packet 3.
    const data = withPackets({...smallTrace(), pipeline: 'h3'}, [
      [50, 55],
      [61, 66],
    ]);
    const lost = data.packets.kind.indexOf(2);
    const sentence = (fate: Uint8Array, chunks = data.chunks) => {
      const trace = {...data, chunks, packets: {...data.packets, fate: fate.with(lost, 2)}};
      return causeSentence(new Trace(trace), causeIn(trace, lost));
    };
    const original = data.packets.fate.indexOf(2);
    const arrived = data.packets.fate.with(original, 1);
    expect(sentence(arrived)).toContain('the server sent data again that had arrived');
    expect(sentence(data.packets.fate)).toContain('It delayed nothing');
    // The last chunk is the beginning of another stream.
    const {stream, first, retransmission} = data.chunks;
    expect(
      sentence(arrived, {
        ...data.chunks,
        stream: stream.with(4, 4),
        first: first.with(4, 0),
        retransmission: retransmission.with(4, 0),
      }),
    ).toContain('It delayed nothing');
  });

  test('the sentence of an acknowledgement says that the other end waited for it', () => {
    const data = withPackets(smallTrace(), [[6, 15]], 0);
    const lost = {...data.packets, fate: data.packets.fate.with(0, 2), kind: data.packets.kind.with(0, 2)};
    const packets = {...lost, cumulativeAck: lost.cumulativeAck.with(0, 0)};
    expect(control(2, 0, {...data, packets})).toContain(
      'The server sent nothing until a later one replaced it, after 10 ms.',
    );
  });

  test('a lost packet of the set-up delays the set-up until the next packet of the set-up', () => {
    const data = smallTrace();
    const kind = Uint8Array.of(0, 0, 1, 1, 1, 1);
    const packets = {...data.packets, kind, fate: data.packets.fate.with(0, 2)};
    expect(control(0, Number.NaN, {packets})).toBe(
      'Lost at 0.01 s: a packet from the browser that sets up the connection. ' +
        'The set-up waited 10 ms for a timer, then continued, and was complete at 0.01 s.',
    );
    expect(control(0, Number.NaN, {packets, setupNs: null})).toMatch(/ waited 10 ms for a timer and then continued\.$/);
    const twice = {...packets, fate: packets.fate.with(1, 2)};
    expect(control(0, Number.NaN, {packets: twice})).toMatch(
      / waited 10 ms for a timer and continued with a packet that was lost, too\.$/,
    );
  });

  test('the sentence contains only what is known at t', () => {
    const {packets, endNs} = smallTrace();
    const endMs = endNs / MS;
    const told = (kind: number, connectedMs: number) => {
      const lost = {
        ...packets,
        fate: packets.fate.with(0, 2),
        kind: packets.kind.map((_, row) => (row === 0 ? kind : 0)),
      };
      const trace = {...smallTrace(), packets: lost, setupNs: connectedMs * MS};
      const cause = causeIn(trace, 0);
      return (ms: number) => causeSentenceAt(new Trace(trace), cause, ms * MS);
    };
    const setUp =
      'Lost at 0.01 s: a packet from the browser that sets up the connection; the set-up has not continued yet.';
    expect([told(0, 50)(4), told(0, 50)(5), told(0, 50)(49)]).toEqual(['', setUp, setUp]);
    expect(told(0, 50)(50)).toContain('was complete at 0.05 s.');
    const acknowledgement = 'Lost at 0.01 s: an acknowledgement from the browser; no later one has arrived yet.';
    expect(told(2, 50)(endMs - 1)).toBe(acknowledgement);
    expect(told(2, 50)(endMs)).toContain('No later acknowledgement arrived.');
  });

  test('the sentence of any other packet says that it carried no data of the page', () => {
    expect(control(5, Number.NaN)).toBe('Lost at 0.01 s: a packet from the browser without data of the page.');
  });
});

test('each way to notice a loss has a label', () => {
  const at = {atNs: 0};
  expect(noticedWord(small, {...at, by: 'reports', count: 3, isThird: true})).toBe('3 duplicate ACKs');
  expect(noticedWord(small, {...at, by: 'reports', count: 1, isThird: false})).toBe('1 duplicate ACK');
  expect(noticedWord(small, {...at, by: 'timeout', timerNs: 3000 * MS})).toBe('timeout 3.00 s');
  expect(noticedWord(small, {...at, by: 'probe'})).toBe('probe');
});

test('an object does not wait for itself', () => {
  expect(waitingObjects(dataOf(causeIn(smallTrace(), 3)))).toEqual([]);
});

function causeIn(data: TraceData, packet: number): Cause {
  const cause = causeOf(new Trace(data), packet);
  if (cause === undefined) throw new Error(`packet ${packet} was not lost`);
  return cause;
}

function dataOf({cargo}: Cause): DataCargo {
  if (cargo.kind !== 'data') throw new Error(`no data: ${cargo.kind}`);
  return cargo;
}

/** How the loss of packet 3 was noticed, according to the first retransmission of its data. */
function noticedIn(data: TraceData) {
  const packet = data.packets.fate.indexOf(2);
  return dataOf(causeIn(data, packet)).sendings[0]?.noticed;
}

/** The samples of the small trace, with the server in this state from 60 ms on. */
function withState(state: number): TraceData['samples'] {
  const {samples} = smallTrace();
  return {...samples, state: Uint8Array.of(1, 1, state)};
}

/** A trace with acknowledgements of the client, inserted in the order of sending. */
function withPackets(
  data: TraceData,
  acks: readonly (readonly [sentMs: number, cameMs: number])[],
  cumulativeAck = 200,
): TraceData {
  const {packets, chunks} = data;
  const rows = Array.from(packets.sentNs.keys(), old => ({old, sentNs: packets.sentNs[old] ?? 0, fateNs: 0}));
  for (const [sentMs, cameMs] of acks) rows.push({old: -1, sentNs: sentMs * MS, fateNs: cameMs * MS});
  rows.sort((a, b) => a.sentNs - b.sentNs);
  const column = (of: ArrayLike<number>, added: number) => rows.map(({old}) => (old < 0 ? added : (of[old] ?? 0)));
  return {
    ...data,
    packets: {
      endpoint: Uint32Array.from(column(packets.endpoint, 0)),
      direction: Uint8Array.from(column(packets.direction, 1)),
      bytes: Uint32Array.from(column(packets.bytes, 60)),
      sentNs: Float64Array.from(rows, ({sentNs}) => sentNs),
      leftNs: Float64Array.from(column(packets.leftNs, Number.NaN)),
      copyNs: Float64Array.from(column(packets.copyNs, Number.NaN)),
      ecn: Uint8Array.from(column(packets.ecn, 0)),
      marked: Uint8Array.from(column(packets.marked, 0)),
      fate: Uint8Array.from(column(packets.fate, 1)),
      fateNs: Float64Array.from(rows, ({old, fateNs}) => (old < 0 ? fateNs : (packets.fateNs[old] ?? 0))),
      kind: Uint8Array.from(column(packets.kind, 2)),
      cumulativeAck: Float64Array.from(column(packets.cumulativeAck, cumulativeAck)),
    },
    chunks: {...chunks, packet: chunks.packet.map(old => rows.findIndex(row => row.old === old))},
  };
}
