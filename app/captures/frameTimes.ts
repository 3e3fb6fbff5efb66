import type {Frame} from '../http/datagrams/datagramFrame.ts';
import type {SentRequest} from './framePipe.ts';

/** How long frames take from the server to the client. */
export interface WayDown {
  /** Null if nothing shows it. */
  readonly ns: number | null;
  /** What is taken to be so, as a sentence. */
  readonly note: string;
}

interface SentFrame {
  readonly frame: Frame;
  readonly sentNs: number;
  readonly hasArrived: boolean;
}

/**
 * Finds out how long frames took to the client, from packets that were recorded at their senders. The client states the
 * round trip of the last frame that answered one of its datagrams at once. Such a frame arrived at the time of that
 * datagram plus the round trip. If the client states none, the
 * way down is taken to be as long as the way up with the server's think time.
 * `requests` and `frames` must be in order of time. `adapterNs` is when an adapter sent
 * its first packet to the server.
 */
export function wayDown(
  requests: readonly SentRequest[],
  frames: readonly SentFrame[],
  adapterNs: number | undefined,
): WayDown {
  const sentNs = new Map(requests.map(request => [request.asked.datagram, request.sentNs]));
  const answers = frames.flatMap(({frame, sentNs: atNs, hasArrived}) => {
    const askedNs = frame.answers === null ? undefined : sentNs.get(frame.answers);
    return askedNs === undefined || askedNs > atNs ? [] : [{askedNs, atNs, hasArrived}];
  });
  const stated = statedNs(
    requests,
    answers.filter(({hasArrived}) => hasArrived),
  );
  if (stated !== null) return {ns: stated, note: noteOf(stated, 'as those did whose round trip the client stated')};
  const [first] = requests;
  const ups = answers.map(({askedNs, atNs}) => atNs - askedNs);
  if (adapterNs !== undefined && first !== undefined && adapterNs > first.sentNs) ups.push(adapterNs - first.sentNs);
  if (ups.length === 0)
    return {ns: null, note: 'Datagrams are not acknowledged, so the times of responses are not known.'};
  const up = ups.reduce((least, ns) => Math.min(least, ns));
  return {
    ns: up,
    note: noteOf(up, 'as long as the server took to answer a request, because the client stated no round trip'),
  };
}

interface Answering {
  readonly askedNs: number;
  readonly atNs: number;
}

/** Returns the median of the times that answers took down by the round trips that the client stated. Null if there are none. */
function statedNs(requests: readonly SentRequest[], answers: readonly Answering[]): number | null {
  const times: number[] = [];
  let sent = 0;
  for (const {asked, sentNs} of requests) {
    while (sent < answers.length && (answers[sent]?.atNs ?? 0) < sentNs) sent += 1;
    if (asked.rttUs === null) continue;
    for (let i = sent - 1; i >= Math.max(0, sent - MOST_IN_FLIGHT); i--) {
      const {askedNs, atNs} = answers[i] ?? {askedNs: Number.NaN, atNs: Number.NaN};
      const arrivedNs = askedNs + asked.rttUs * 1e3;
      if (!(atNs <= arrivedNs && arrivedNs <= sentNs)) continue;
      times.push(arrivedNs - atNs);
      break;
    }
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? null;
}

function noteOf(ns: number, why: string): string {
  const ms = (ns / 1e6).toFixed(1);
  return `Datagrams are not acknowledged. They are taken to have arrived ${ms} ms after they were sent, ${why}.`;
}

/** The most answers that can be on their way when the client states a round trip. */
const MOST_IN_FLIGHT = 100;
