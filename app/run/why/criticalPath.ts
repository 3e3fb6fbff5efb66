import {firstAbove} from '../../base/order.ts';
import {TURN_NS} from '../../browsers/browser.ts';
import {isDatagramRequest, isRecovery, type Noticed, sendingsOf} from '../cause/sendings.ts';
import type {SeenAt} from '../scenario/capturedPath.ts';
import {cachedByTrace} from '../trace/cachedByTrace.ts';
import {DIRECTION, FATE, PACKET_KIND, SENDER_STATE} from '../trace/columns.ts';
import {openedNs, setUpStart} from '../trace/setUps.ts';
import type {Trace} from '../trace/trace.ts';
import {isScript} from '../trace/traceTexts.ts';
import type {CauseName} from './causeKinds.ts';
import {linkUse} from './linkUse.ts';
import {lastRepair} from './repairs.ts';
import {type SentObject, type SentRange, sentOf} from './sentData.ts';

/** An interval of a critical path. Times are in ns since navigation, which is the start of the run. */
export interface PathSpan {
  readonly cause: CauseName;
  readonly fromNs: number;
  readonly untilNs: number;
  /** The object that the path passes through in this interval. */
  readonly object: number;
  /** `up` while the request is under way, `down` for the response, and null at all other times. */
  readonly direction: keyof typeof DIRECTION | null;
  /** The lost packet that is responsible. Present for recovery and, if it is known, for head-of-line blocking. */
  readonly packet?: number;
}

/** The end of a critical path: `atNs` is the time when the page had `bytes` bytes of the body of an object. */
export interface PathTarget {
  readonly object: number;
  readonly bytes: number;
  readonly atNs: number;
  /** The time of the frame that shows the bytes, if the moment that is explained is a paint. */
  readonly shownNs?: number;
}

/** The settings of a load that its trace does not contain. */
export interface WhyOptions {
  /** The server's think time before each response. */
  readonly thinkNs: number;
  /** Whether objects are requested only when the whole HTML has arrived. */
  readonly isHtmlAwaited: boolean;
  /** Whether the connections have a TLS handshake that is separate from that of their transport (not over QUIC). */
  readonly hasTls: boolean;
  /** When the browser begins to connect, in ns since the navigation. */
  readonly startNs: number;
  /** How long it takes to look up the address of a host, in ns. */
  readonly dnsNs: number;
  /**
   * Whether requests have HTTP priorities (HTTP/2 and HTTP/3). A connection then carries any number of them at a time,
   * so that only the browser's queue can hold a request back.
   */
  readonly hasPriorities: boolean;
  /** When the client moved to another path, in ns, in order of time. */
  readonly handOversNs: readonly number[];
  /**
   * Where the load was recorded, if it was live or captured. One end does not see what the path and the other end did,
   * so their time is `unknown`. Null for a computed load, because everything is known about it.
   */
  readonly seenAt: SeenAt | null;
  /**
   * Whether the load has the times at which the browser found objects. Among captures, only HAR has these times. In a
   * capture of packets, this time is known only for a request that had to wait for a free HTTP/1.1 connection.
   */
  readonly isFindingSeen: boolean;
  /** Whether the load has all paints. A captured load has only those that its file shows. */
  readonly isPaintSeen: boolean;
}

/**
 * Returns the critical path of a target, from navigation to the target, without gaps: each nanosecond belongs to one
 * span. The path is found backwards: from the packet that completed the needed bytes to the request for this object,
 * then to the bytes that named this object in another one, and so on to the first handshake. `docs/why.md` explains
 * each rule.
 */
export function criticalPath(trace: Trace, target: PathTarget, options: WhyOptions): readonly PathSpan[] {
  const walk = new Walk(trace, target.shownNs ?? target.atNs, options);
  walk.mark('paint', target.atNs, {object: target.object, direction: null});
  let next: PathTarget | null = target;
  // each object is named by bytes of another object, and these bytes arrived earlier
  for (let steps = 0; next !== null && steps <= trace.objects.length; steps++) next = walk.passObject(next);
  walk.mark('unknown', 0, {object: 0, direction: null});
  return walk.spans();
}

/** Returns the target for the time when an object was complete. Null if it never was. */
export function completeTarget(trace: Trace, object: number): PathTarget | null {
  const {completeNs = null, bytes = 0} = trace.objects[object] ?? {};
  return completeNs === null ? null : {object, bytes, atNs: completeNs};
}

interface Place {
  readonly object: number;
  readonly direction: keyof typeof DIRECTION | null;
  readonly packet?: number;
}

/** Walks back in time, and marks each interval that it passes with its cause. */
class Walk {
  readonly #trace: Trace;
  readonly #options: WhyOptions;
  readonly #spans: PathSpan[] = [];
  /** The time to which the walk has come. Everything after it is marked. */
  #atNs: number;
  /**
   * The connection of the needed bytes. After a hand-over, an object may have been requested on several connections.
   */
  #connection = 0;
  /** The results of {@link #sent}, by its arguments and the connection. */
  readonly #sentOn = new Map<string, SentObject>();

  constructor(trace: Trace, endNs: number, options: WhyOptions) {
    this.#trace = trace;
    this.#options = options;
    this.#atNs = endNs;
  }

  /** Returns the marked intervals, in order of time. Neighbours that differ only in their times have been joined. */
  spans(): readonly PathSpan[] {
    return this.#spans.toReversed();
  }

  /**
   * Marks the time back to `fromNs` with a cause, or with `unknown` if the load does not show this cause. Nothing is
   * marked if the walk has already come further back.
   */
  mark(found: CauseName, fromNs: number, {object, direction, packet}: Place): void {
    const from = Math.max(0, fromNs);
    if (!(from < this.#atNs)) return;
    const cause = this.#isSeen(found, packet) ? found : 'unknown';
    const last = this.#spans.at(-1);
    const isSame =
      last?.cause === cause && last.object === object && last.direction === direction && last.packet === packet;
    if (isSame) this.#spans[this.#spans.length - 1] = {...last, fromNs: from};
    else {
      const lost = packet === undefined ? {} : {packet};
      this.#spans.push({cause, fromNs: from, untilNs: this.#atNs, object, direction, ...lost});
    }
    this.#atNs = from;
  }

  /**
   * Whether the load shows a cause. What holds back a sender is known only from its samples. Each end sees that its own
   * packet was lost and sent again.
   */
  #isSeen(cause: CauseName, packet: number | undefined): boolean {
    const {seenAt} = this.#options;
    if (seenAt === null || SEEN[seenAt].has(cause)) return true;
    const {samples, packets} = this.#trace.data;
    if (SEEN_IN_SAMPLES.has(cause)) return seenAt !== 'client' && samples.atNs.length > 0;
    if (packet === undefined || !SEEN_OF_OWN_PACKETS.has(cause)) return false;
    return this.#isSenders(packets.direction[packet] === DIRECTION.up ? 'up' : 'down');
  }

  /** Whether a live or captured load was recorded at the sender of this direction. */
  #isSenders(direction: keyof typeof DIRECTION): boolean {
    const {seenAt} = this.#options;
    return seenAt !== null && SENDING[seenAt] === direction;
  }

  /** Whether the load was live or captured, so that it does not show everything. */
  get #isRecorded(): boolean {
    return this.#options.seenAt !== null;
  }

  /**
   * Walks back to the time when the object became known. Returns the bytes that named the object. Null if there are
   * none, as for the first object, and if the object was never requested.
   */
  passObject({object, bytes, atNs}: PathTarget): PathTarget | null {
    const {requestNs = null} = this.#trace.objects[object] ?? {};
    if (requestNs === null) return null;
    this.mark('unknown', atNs, {object, direction: null});
    // the browser had the bytes, and had not read them yet
    const readNs = lastDeliveryNs(this.#trace, object, atNs) ?? atNs;
    this.#passUnseenFinding(object, readNs);
    this.mark('scripts', readNs, {object, direction: null});
    // what the browser has from an earlier visit needs no transfer
    if (bytes > 0 && this.#trace.bytesAt(object, requestNs) >= bytes) return this.#passWait(object, requestNs);
    const [first, connection] = this.#connectionsOf(object);
    this.#connection = connection;
    // the time of the request on the connection that carried the bytes
    const askedNs = connection === first ? requestNs : this.#firstRequestNs(connection, [object]);
    this.#passResponse(object, bytes, askedNs);
    this.#passTransfer('up', object, Number.POSITIVE_INFINITY, askedNs);
    if (connection !== first) {
      // a hand-over had ended the connection of the first request
      const place = {object, direction: null};
      this.#passConnection(askedNs, requestNs, place);
      this.mark('hand-over', requestNs, place);
    }
    this.#connection = first;
    return this.#passWait(object, requestNs);
  }

  /**
   * Walks back over time in which packets do not show what the browser did. At `readNs`, the browser had the bytes that
   * named an object. Nothing is marked if the load shows when objects were found, or if it has files of scripts.
   * Otherwise the browser only had to read the bytes, and its next request shows when it had read them. The time after
   * this request is unknown. If the request came too late for mere reading, the browser waited for something else, and
   * all of the time is unknown.
   */
  #passUnseenFinding(object: number, readNs: number): void {
    if (this.#options.isFindingSeen || readNs >= this.#atNs || hasScripts(this.#trace)) return;
    const next = this.#trace.objects.reduce(
      (least, {requestNs}) => (requestNs !== null && requestNs >= readNs ? Math.min(least, requestNs) : least),
      Number.POSITIVE_INFINITY,
    );
    this.mark('unknown', next > readNs + LONGEST_READ_NS ? readNs : next, {object, direction: null});
  }

  /**
   * Returns the connection on which an object was requested first, and the connection of the last bytes that are
   * needed.
   */
  #connectionsOf(object: number): readonly [first: number, last: number] {
    const usual = this.#trace.objects[object]?.connection ?? 0;
    if (this.#options.handOversNs.length === 0) return [usual, usual];
    const [request] = sentOf(this.#trace, 'up', object).ranges;
    const first = request === undefined ? usual : this.#connectionOfPacket(request.packet);
    const last = lastNeeded(sentOf(this.#trace, 'down', object).ranges, Number.POSITIVE_INFINITY, this.#atNs);
    return [first, last === null ? first : this.#connectionOfPacket(last.packet)];
  }

  #connectionOfPacket(packet: number): number {
    const {packets, connections} = this.#trace.data;
    const endpoint = packets.endpoint[packet];
    return connections.findIndex(({client, server}) => client === endpoint || server === endpoint);
  }

  /** Returns what was sent of an object on the connection of the needed bytes. */
  #sent(direction: keyof typeof DIRECTION, object: number): SentObject {
    const sent = sentOf(this.#trace, direction, object);
    if (this.#options.handOversNs.length === 0) return sent;
    const key = `${direction} ${object} ${this.#connection}`;
    const known = this.#sentOn.get(key) ?? this.#onConnection(sent);
    this.#sentOn.set(key, known);
    return known;
  }

  /** Keeps only what was sent on the connection of the needed bytes. */
  #onConnection(sent: SentObject): SentObject {
    const own = sent.ranges.filter(({packet}) => this.#connectionOfPacket(packet) === this.#connection);
    const start = own.reduce((least, {offset}) => Math.min(least, offset), sent.bytes);
    const end = own.reduce((most, {offset, bytes}) => Math.max(most, offset + bytes), start);
    return {ranges: own.map(range => ({...range, offset: range.offset - start})), bytes: end - start};
  }

  /** Returns the time when one of the objects was first requested on a connection; Infinity if none was. */
  #firstRequestNs(connection: number, objects: Iterable<number>): number {
    let firstNs = Number.POSITIVE_INFINITY;
    for (const object of objects)
      for (const {packet, sentNs} of sentOf(this.#trace, 'up', object).ranges)
        if (sentNs < firstNs && this.#connectionOfPacket(packet) === connection) firstNs = sentNs;
    return firstNs;
  }

  /** Returns the time of the first request on a connection. `requestNs` is the time of one request on it. */
  #firstUseNs(connection: number, requestNs: number): number {
    const {objects} = this.#trace;
    // after a hand-over, the record of an object has the time of its first request and the number of its last
    // connection
    if (this.#options.handOversNs.length > 0)
      return Math.min(requestNs, this.#firstRequestNs(connection, objects.keys()));
    return objects.reduce(
      (least, each) => (each.connection === connection ? Math.min(least, each.requestNs ?? least) : least),
      requestNs,
    );
  }

  #passResponse(object: number, bytes: number, requestNs: number): void {
    const request = this.#requestArrival(object, requestNs);
    const readyNs = request + this.#options.thinkNs;
    const {bytes: sent} = this.#sent('down', object);
    const body = this.#trace.objects[object]?.bytes ?? 0;
    // heads and frames precede the body's bytes, so the bytes that are not needed are the last ones that were sent
    this.#passTransfer('down', object, sent - (body - bytes), readyNs);
    this.mark('server', request, {object, direction: 'down'});
  }

  /** Returns the time when the server could read the whole request. */
  #requestArrival(object: number, requestNs: number): number {
    const {ranges} = this.#sent('up', object);
    let arrivedNs = requestNs;
    const firsts = new Map<number, number>();
    // over bare datagrams, the client requests missing data in new messages, but the first message began the response
    const isRepeated = ranges.some(({packet}) => isDatagramRequest(this.#trace.data, packet));
    for (const range of ranges) {
      const [offset, ns] = [isRepeated ? 0 : range.offset, this.#readableNs('up', range)];
      firsts.set(offset, Math.min(firsts.get(offset) ?? ns, ns));
    }
    for (const ns of firsts.values()) if (ns !== Number.POSITIVE_INFINITY) arrivedNs = Math.max(arrivedNs, ns);
    for (const wait of this.#trace.waitingRequests()) {
      if (wait.object === object) arrivedNs = Math.max(arrivedNs, wait.endNs);
    }
    // the server could not read the request before the client had repeated earlier data that was lost
    const last = this.#isSenders('up') ? this.#lastKept('up', object) : null;
    if (last !== null)
      arrivedNs = Math.max(arrivedNs, last.sentNs, lastRepair(this.#trace, last, this.#atNs)?.sentNs ?? 0);
    return Math.min(arrivedNs, this.#atNs);
  }

  /**
   * Walks back over the transfer of the first `needed` bytes of an object's data in one direction. The walk goes to
   * `readyNs`, the time when the sender had these bytes.
   */
  #passTransfer(direction: keyof typeof DIRECTION, object: number, needed: number, readyNs: number): void {
    const place = {object, direction};
    const {ranges} = this.#sent(direction, object);
    // over bare datagrams, data can be shown before earlier data has arrived; then the needed bytes are not the first
    const range = lastNeeded(ranges, needed, this.#atNs) ?? lastNeeded(ranges, Number.POSITIVE_INFINITY, this.#atNs);
    if (range === null) {
      this.#passOwnSending(direction, object, readyNs);
      return;
    }
    const readableNs = this.#readableNs(direction, range);
    if (readableNs < this.#atNs && this.#isBlocked(range.arrivedNs)) {
      const packet = this.#blocker(direction, range, this.#atNs);
      // if no packet was lost, the data waited for the rest of its TLS record, which was on its way
      const cause = packet === null && this.#options.hasTls ? 'own-bytes' : 'blocking';
      this.mark(cause, readableNs, packet === null ? place : {...place, packet});
    }
    // the data had arrived, and a packet of the handshake that was sent at any time before was missing
    if (readableNs > range.arrivedNs) this.#passSetUp('set-up', this.#connection, range.arrivedNs, place, 0);
    this.#passCopies(place, range, readyNs);
  }

  /**
   * Returns when the receiver of data could read it: when the data arrived, or later, if it was sent over QUIC and the
   * receiver lacked the keys then (RFC 9001 §5.7). Only a computed load shows this.
   */
  #readableNs(direction: keyof typeof DIRECTION, {arrivedNs, sentNs}: SentRange): number {
    const {pipeline, data} = this.#trace;
    if (this.#isRecorded || pipeline.acknowledges !== 'packets') return arrivedNs;
    const {client = -1, server = -1} = data.connections[this.#connection] ?? {};
    const connected = (endpoint: number) => connectedNs(this.#trace, endpoint) ?? arrivedNs;
    if (direction === 'down') return Math.max(arrivedNs, connected(client));
    // 0-RTT data can be read once the server has the whole ClientHello
    return Math.max(arrivedNs, sentNs < connected(client) ? (flightNs(this.#trace, server) ?? 0) : connected(server));
  }

  /**
   * Walks back over the transfer of data whose arrival was not recorded. If the sending was recorded, the walk goes on
   * from the last packet that is not known to be lost. If earlier data of the stream was repaired after this packet was
   * sent, the other end could not read the packet's data before the repair. The walk then first goes back over this
   * wait.
   */
  #passOwnSending(direction: keyof typeof DIRECTION, object: number, readyNs: number): void {
    const place = {object, direction};
    const last = this.#isSenders(direction) ? this.#lastKept(direction, object) : null;
    if (last !== null) {
      const repair = lastRepair(this.#trace, last, this.#atNs);
      if (repair !== null) this.mark('unknown', repair.sentNs, place);
      if (repair !== null) this.mark('blocking', last.sentNs, {...place, packet: repair.packet});
      this.#passCopies(place, last, readyNs);
    }
    this.mark('unknown', readyNs, place);
  }

  /**
   * Returns the range of an object's data that was sent last and is not known to be lost. If several copies of a range
   * are not known to be lost, only the first one counts.
   */
  #lastKept(direction: keyof typeof DIRECTION, object: number): SentRange | null {
    const {fate} = this.#trace.data.packets;
    const kept = this.#sent(direction, object).ranges.filter(
      ({packet, sentNs}) => fate[packet] === FATE.inFlight && sentNs <= this.#atNs,
    );
    const firsts = new Map<number, SentRange>();
    for (const range of kept) if (!firsts.has(range.offset)) firsts.set(range.offset, range);
    let last: SentRange | null = null;
    for (const range of firsts.values()) if (last === null || range.sentNs >= last.sentNs) last = range;
    return last;
  }

  /**
   * Whether data that arrived at this time and was read later waited for earlier data. In a live load, the data may
   * instead have waited for the program to read it.
   */
  #isBlocked(arrivedNs: number): boolean {
    return !this.#isRecorded || this.#trace.data.blocked.startNs.includes(arrivedNs);
  }

  /**
   * Walks back over a packet, over the lost copies of its data, and over the time before the first copy, to `readyNs`.
   */
  #passCopies(place: {object: number; direction: keyof typeof DIRECTION}, range: SentRange, readyNs: number): void {
    const use = linkUse(this.#trace)[place.direction];
    const row = use.rowOf[range.packet] ?? -1;
    if (row < 0) this.mark('transit', range.sentNs, place);
    else {
      this.mark('propagation', use.endNs[row] ?? 0, place);
      this.mark('own-bytes', use.startNs[row] ?? 0, place);
    }
    const copies = copiesBefore(this.#sent(place.direction, place.object).ranges, range);
    let again = range;
    for (const copy of copies) {
      this.#passSending(place, again.sentNs, again.sentNs, again.packet);
      this.mark(this.#recovery(copy.packet, again.packet), copy.sentNs, {...place, packet: copy.packet});
      again = copy;
    }
    this.#passSending(place, again.sentNs, readyNs, again.packet);
  }

  /**
   * Walks back from the start of a packet's serialisation to `fromNs`. While the link was in use, the cause is what the
   * link carried. While the link was idle, the cause is what held back the sender. The packet was sent at `sentNs`.
   */
  #passSending(
    {object, direction}: {object: number; direction: keyof typeof DIRECTION},
    sentNs: number,
    fromNs: number,
    packet: number,
  ): void {
    const use = linkUse(this.#trace)[direction];
    const place = {object, direction};
    for (let row = firstAbove(use.startNs, this.#atNs) - 1; row >= 0 && this.#atNs > fromNs; row--) {
      const [startNs = 0, endNs = 0] = [use.startNs[row], use.endNs[row]];
      if (startNs >= this.#atNs) continue;
      if (endNs <= fromNs) break;
      if (endNs < this.#atNs) this.#passIdle(place, Math.max(endNs, fromNs), sentNs, packet);
      this.mark(this.#carried(use.packet[row] ?? -1, object), Math.max(startNs, fromNs), place);
    }
    this.#passIdle(place, fromNs, sentNs, packet);
  }

  /**
   * Walks back over time in which the link was not in use. From `sentNs` on, the packet was waiting for the link, so
   * the cause is the queue. Before, the sender held the packet back. A live or captured load does not show how the link
   * was used, so all of its time counts as idle. This time is divided at the first packet of the response, because the
   * server's own time ends there.
   */
  #passIdle(place: Place, fromNs: number, sentNs: number, packet: number): void {
    this.mark('queue', Math.max(fromNs, sentNs), place);
    const firstNs = this.#isRecorded ? this.#firstSentNs(place) : null;
    if (firstNs !== null) this.#passHeldBack(place, Math.max(fromNs, firstNs), packet);
    this.#passHeldBack(place, fromNs, packet);
  }

  /** Walks back over time in which the sender of a packet did not send, to `fromNs`. */
  #passHeldBack(place: Place, fromNs: number, packet: number): void {
    const endpoint = this.#trace.data.packets.endpoint[packet] ?? 0;
    const rows = this.#trace.samplesOfEndpoint(endpoint);
    const {atNs} = this.#trace.data.samples;
    for (let i = rows.length - 1; i >= 0 && this.#atNs > fromNs; i--) {
      const row = rows[i] ?? 0;
      const sampledNs = atNs[row] ?? 0;
      if (sampledNs >= this.#atNs) continue;
      this.#markIdle(this.#heldBack(row, place), Math.max(sampledNs, fromNs), place, endpoint);
    }
    this.#markIdle(this.#isBeforeFirst(place) ? 'server' : 'pacing', fromNs, place, endpoint);
  }

  /** Marks idle time. While the sender does not know the new address of its peer, the cause is the hand-over. */
  #markIdle(cause: CauseName, fromNs: number, place: Place, sender: number): void {
    for (const movedNs of this.#options.handOversNs.toReversed()) {
      if (movedNs >= this.#atNs) continue;
      const toldNs = toldOf(this.#trace, movedNs, sender);
      if (toldNs === null || toldNs <= fromNs) break;
      this.mark(cause, Math.max(toldNs, fromNs), place);
      this.mark('hand-over', Math.max(movedNs, fromNs), place);
    }
    this.mark(cause, fromNs, place);
  }

  /** Returns what holds back a sender in the state of a sample. */
  #heldBack(row: number, place: Place): CauseName {
    const {state, cwndBytes, flightBytes, endpoint} = this.#trace.data.samples;
    const mss = largestDataBytes(this.#trace).get(endpoint[row] ?? 0) ?? 0;
    const isFull = (flightBytes[row] ?? 0) + mss > (cwndBytes[row] ?? 0);
    if (state[row] === SENDER_STATE.connecting) return 'set-up';
    if (isRecovery(state[row])) return 'recovery-window';
    if (!isFull) return this.#isBeforeFirst(place) ? 'server' : 'pacing';
    return state[row] === SENDER_STATE.slowStart ? 'slow-start' : 'window';
  }

  /** Whether the walk is before the first packet of a response. */
  #isBeforeFirst(place: Place): boolean {
    const firstNs = this.#firstSentNs(place);
    return firstNs !== null && this.#atNs <= firstNs;
  }

  /**
   * Returns when the first packet of a response was sent. Null for requests, and if no packet has data of the response.
   */
  #firstSentNs({object, direction}: Place): number | null {
    if (direction !== 'down') return null;
    return this.#sent(direction, object).ranges[0]?.sentNs ?? null;
  }

  /** Returns the cause of the time in which data of this object waits while the link serialises a packet. */
  #carried(packet: number, object: number): CauseName {
    if (packet < 0) return 'other-traffic';
    const objects = this.#trace.objectsOf(packet);
    if (objects.some(each => each.object === object)) return 'own-bytes';
    return objects.length > 0 ? 'other-bytes' : 'queue';
  }

  /** Returns how the sender noticed the loss of a packet, as a cause. */
  #recovery(lost: number, again: number): CauseName {
    if (this.#trace.data.packets.fate[lost] === FATE.handedOver) return 'hand-over';
    const sending = sendingsOf(this.#trace, lost, Number.POSITIVE_INFINITY).find(({packet}) => packet === again);
    return RECOVERY_OF[sending?.noticed?.by ?? 'reports'];
  }

  /**
   * Returns the lost packet for which data waited until `untilNs`. The data of the lost packet arrived at this time, in
   * another packet. If several copies were lost, the first one counts. Null if there is no such lost packet.
   */
  #blocker(direction: keyof typeof DIRECTION, {packet}: SentRange, untilNs: number): number | null {
    const {packets} = this.#trace.data;
    const sender = packets.endpoint[packet];
    const lost = this.#trace.droppedPackets().find(row => {
      if (packets.direction[row] !== DIRECTION[direction] || packets.endpoint[row] !== sender) return false;
      return this.#trace.blockingOf(row)?.repairedNs === untilNs;
    });
    return lost ?? null;
  }

  /**
   * Walks back from the request to the time when the browser could have sent it. Returns the bytes that named the
   * object.
   */
  #passWait(object: number, requestNs: number): PathTarget | null {
    const place = {object, direction: null};
    const parent = this.#parent(object, requestNs);
    const knownNs = parent?.atNs ?? this.#options.startNs;
    const openNs = this.#passConnection(requestNs, knownNs, place);
    if (openNs !== null) this.#passHandOver(openNs, knownNs, place);
    // in a live or captured load, what the client does before it opens its first connection is not recorded
    this.mark(this.#isRecorded && object === 0 ? 'unknown' : this.#requestWait(), knownNs, place);
    this.mark('scripts', parent?.atNs ?? 0, place);
    const isUnseen = !this.#options.isFindingSeen && this.#isAfterResponse(object, requestNs);
    if (parent !== null && isUnseen) {
      this.mark('unknown', lastDeliveryNs(this.#trace, parent.object, parent.atNs) ?? parent.atNs, place);
    }
    return parent;
  }

  /**
   * Whether a request may have waited for its connection although the load does not show this: the browser seems to
   * have found the object when it sent the request, but the response before it on the same stream had just ended.
   */
  #isAfterResponse(object: number, requestNs: number): boolean {
    const {objects} = this.#trace;
    const {connection: own, stream: ownStream, discoveredNs} = objects[object] ?? {};
    if (this.#options.hasPriorities || discoveredNs !== requestNs) return false;
    return objects.some(({connection, stream, completeNs, failedNs}) => {
      // a response that reports an error, such as 404, is not complete
      const endNs = completeNs ?? failedNs;
      const isBefore = endNs !== null && endNs <= requestNs && requestNs - endNs <= TURN_NS;
      return connection === own && stream === ownStream && isBefore;
    });
  }

  /**
   * Walks back from a request over the set-up of its connection and the look-up of the host's address, but not beyond
   * `fromNs`. Returns when the connection was opened or, if it was opened because an earlier connection got no answer,
   * when the earlier one was opened. Returns null if the connection was never opened.
   */
  #passConnection(requestNs: number, fromNs: number, place: Place): number | null {
    const connection = this.#connection;
    const {openNs, tlsNs} = setUpOf(this.#trace, connection, this.#options);
    const usedNs = this.#firstUseNs(connection, requestNs);
    this.mark(this.#requestWait(), Math.max(fromNs, usedNs), place);
    // a client sees when its first connection over the kernel's TCP was set up, but not when it opened another one
    const isUnseen = openNs === null && place.object !== 0 && this.#trace.data.connections.length > 1;
    if (this.#isRecorded && isUnseen) this.mark('unknown', fromNs, place);
    if (tlsNs !== null && tlsNs < usedNs) this.#passSetUp('tls', connection, Math.max(fromNs, tlsNs), place);
    this.#passSetUp('set-up', connection, Math.max(fromNs, openNs ?? fromNs), place);
    if (openNs === null) return null;
    const firstNs = this.#passUnanswered(connection, openNs, fromNs, place);
    this.mark('dns', Math.max(fromNs, firstNs - this.#options.dnsNs), place);
    return firstNs;
  }

  /**
   * Walks back over the time in which an earlier connection to the same origin got no answer, so that the browser
   * opened this connection. Returns when the first of the two was opened.
   */
  #passUnanswered(connection: number, openNs: number, fromNs: number, place: Place): number {
    // after a hand-over, the client opens new connections for another reason
    const earlier = this.#options.handOversNs.length > 0 ? null : unansweredAt(this.#trace, connection, openNs);
    if (earlier === null) return openNs;
    const {lost} = earlier;
    const untilNs = Math.max(fromNs, earlier.openNs);
    if (lost === undefined) this.mark('set-up', untilNs, place);
    else this.mark('recovery-timeout', untilNs, {...place, packet: lost});
    return earlier.openNs;
  }

  /** Returns the cause of time in which the browser knew an object but did not request it. */
  #requestWait(): CauseName {
    return this.#options.hasPriorities ? 'request-queue' : 'request-wait';
  }

  /**
   * Walks back from the opening of a connection to the hand-over that had ended the connection before it. The document
   * waits for nothing but its connection, so all of its time belongs to the hand-over.
   */
  #passHandOver(openNs: number, knownNs: number, place: Place): void {
    const movedNs = this.#options.handOversNs.findLast(ns => ns <= openNs && ns >= knownNs);
    if (movedNs !== undefined) this.mark('hand-over', place.object === 0 ? knownNs : movedNs, place);
  }

  /**
   * Walks back over a part of a connection's set-up. The time until a lost packet was sent again has its own cause.
   * Lost packets that were sent before `sinceNs` belong to an earlier part.
   */
  #passSetUp(cause: CauseName, connection: number, fromNs: number, place: Place, sinceNs = fromNs): void {
    for (const {packet, sentNs, againNs} of repeatsOf(this.#trace, connection)) {
      if (againNs > this.#atNs || againNs <= fromNs || sentNs < sinceNs) continue;
      this.mark(cause, againNs, place);
      this.mark(this.#recoveryInSetUp(packet), Math.max(fromNs, sentNs), {...place, packet});
    }
    this.mark(cause, fromNs, place);
  }

  /** Returns how the loss of a packet of the set-up was noticed, as a cause. */
  #recoveryInSetUp(packet: number): CauseName {
    const [sending] = sendingsOf(this.#trace, packet, Number.POSITIVE_INFINITY);
    return RECOVERY_OF[sending?.noticed?.by ?? 'timeout'];
  }

  /** Returns the bytes that made the browser request an object. Null if there are none, as for the first object. */
  #parent(object: number, requestNs: number): PathTarget | null {
    const {objects} = this.#trace;
    const html = objects[0];
    const {discoveredNs = null} = objects[object] ?? {};
    if (object === 0 || discoveredNs === null) return null;
    if (this.#options.isHtmlAwaited && html !== undefined && html.completeNs !== null && html.completeNs <= requestNs)
      return {object: 0, bytes: html.bytes, atNs: Math.max(discoveredNs, html.completeNs)};
    for (const [number, {completeNs, bytes}] of objects.entries()) {
      if (number === 0 || number === object || completeNs !== discoveredNs) continue;
      if (isDeliveredAt(this.#trace, 0, discoveredNs)) break;
      return {object: number, bytes, atNs: discoveredNs};
    }
    const bytes = this.#trace.bytesAt(0, discoveredNs);
    // if no byte of the HTML had arrived when the object was found, no bytes named it
    return bytes === 0 ? null : {object: 0, bytes, atNs: discoveredNs};
  }
}

/**
 * Returns when a server's endpoint got its first packet from the new address of its client. Null if it got none, and
 * for the endpoint of a client, because servers do not move.
 */
function toldOf(trace: Trace, movedNs: number, endpoint: number): number | null {
  const all = toldTimes(trace);
  const key = `${movedNs} ${endpoint}`;
  const known = all.get(key);
  if (known !== undefined) return known;
  const toldNs = findTold(trace, movedNs, endpoint);
  all.set(key, toldNs);
  return toldNs;
}

/** The results of {@link toldOf} for one trace, by the time of the hand-over and the endpoint. */
const toldTimes = cachedByTrace((): Map<string, number | null> => new Map());

function findTold(trace: Trace, movedNs: number, endpoint: number): number | null {
  const {packets, connections} = trace.data;
  const client = connections.find(({server}) => server === endpoint)?.client;
  if (client === undefined) return null;
  const row = packets.sentNs.findIndex(
    (sentNs, row) => sentNs >= movedNs && packets.endpoint[row] === client && packets.fate[row] === FATE.delivered,
  );
  return row < 0 ? null : (packets.fateNs[row] ?? null);
}

/** Whether a load has a file of a script. A script in the HTML has no file. */
const hasScripts = cachedByTrace(({objects}: Trace): boolean => objects.some(({url}) => isScript(url)));

function isDeliveredAt(trace: Trace, object: number, ns: number): boolean {
  return lastDeliveryNs(trace, object, ns) === ns;
}

/** Returns the last time until `ns` at which bytes of an object were delivered. Undefined if there is none. */
function lastDeliveryNs(trace: Trace, object: number, ns: number): number | undefined {
  const {atNs} = trace.deliveriesOf(object);
  return atNs[firstAbove(atNs, ns) - 1];
}

/** Returns the copy that completed the first `needed` bytes of an object's data by `atNs`. Null if none had arrived. */
function lastNeeded(ranges: readonly SentRange[], needed: number, atNs: number): SentRange | null {
  // the first arrival of each range counts; later copies are needless
  const firsts = new Map<number, SentRange>();
  for (const range of ranges) {
    if (range.offset >= needed || range.arrivedNs > atNs) continue;
    const known = firsts.get(range.offset);
    if (known === undefined || range.arrivedNs < known.arrivedNs) firsts.set(range.offset, range);
  }
  let last: SentRange | null = null;
  for (const range of firsts.values()) if (last === null || range.arrivedNs > last.arrivedNs) last = range;
  return last;
}

/** Returns the earlier copies of the data of a range, the latest first. */
function copiesBefore(ranges: readonly SentRange[], {offset, bytes, sentNs, packet}: SentRange): readonly SentRange[] {
  const earlier = ranges.filter(
    each =>
      each.packet !== packet &&
      each.sentNs < sentNs &&
      each.offset < offset + bytes &&
      offset < each.offset + each.bytes,
  );
  return earlier.toReversed();
}

/** A lost packet and the time when its sender repeated it. */
interface Repeat {
  readonly packet: number;
  readonly sentNs: number;
  readonly againNs: number;
}

/**
 * Returns the lost packets of a connection that carry no data of objects, such as those of handshakes, and when each
 * was repeated. Packets that were never repeated are left out. The latest come first.
 */
function repeatsOf(trace: Trace, connection: number): readonly Repeat[] {
  const {packets, connections} = trace.data;
  const {client, server} = connections[connection] ?? {};
  const repeats: Repeat[] = [];
  for (const packet of trace.droppedPackets()) {
    const sender = packets.endpoint[packet];
    if ((sender !== client && sender !== server) || trace.objectsOf(packet).length > 0) continue;
    const againNs = againOf(trace, packet);
    if (againNs !== null) repeats.push({packet, sentNs: packets.sentNs[packet] ?? 0, againNs});
  }
  return repeats.toReversed();
}

/** Returns the time when a lost packet without data of objects was sent again. Null if that is not known. */
function againOf(trace: Trace, lost: number): number | null {
  const {packets} = trace.data;
  if (packets.kind[lost] !== PACKET_KIND.setUp) {
    return sendingsOf(trace, lost, Number.POSITIVE_INFINITY)[0]?.sentNs ?? null;
  }
  for (let row = lost + 1; row < packets.kind.length; row++) {
    const isRepeat = packets.endpoint[row] === packets.endpoint[lost] && packets.kind[row] === PACKET_KIND.setUp;
    if (isRepeat && (packets.sentNs[row] ?? 0) > (packets.sentNs[lost] ?? 0)) return packets.sentNs[row] ?? null;
  }
  return null;
}

/** Returns when an end of a connection completed the handshake of its transport. Undefined if no sample shows it. */
function connectedNs(trace: Trace, endpoint: number): number | undefined {
  const {atNs, state} = trace.data.samples;
  const row = trace.samplesOfEndpoint(endpoint).find(each => state[each] !== SENDER_STATE.connecting);
  return row === undefined ? undefined : atNs[row];
}

/**
 * Returns when a server of QUIC sent its part of the handshake. The function recognises it by its size: a datagram with
 * an ack-eliciting Initial packet has a payload of at least 1200 bytes (RFC 9000 §14.1), and the headers of IP and UDP
 * have 28 bytes. Undefined if the server sent none.
 */
function flightNs({data: {packets}}: Trace, server: number): number | undefined {
  const row = packets.endpoint.findIndex((endpoint, row) => endpoint === server && (packets.bytes[row] ?? 0) >= 1228);
  return row < 0 ? undefined : packets.sentNs[row];
}

/** Returns, for each endpoint, the largest number of bytes of data in one packet that it sent. */
const largestDataBytes = cachedByTrace((trace: Trace): ReadonlyMap<number, number> => {
  const {packets, chunks} = trace.data;
  const largest = new Map<number, number>();
  let [packet, bytes] = [-1, 0];
  for (let row = 0; row < chunks.packet.length; row++) {
    bytes = chunks.packet[row] === packet ? bytes + (chunks.bytes[row] ?? 0) : (chunks.bytes[row] ?? 0);
    packet = chunks.packet[row] ?? 0;
    const endpoint = packets.endpoint[packet] ?? 0;
    largest.set(endpoint, Math.max(largest.get(endpoint) ?? 0, bytes));
  }
  return largest;
});

/**
 * Returns when the client of a connection sent its first packet, and when the handshake of TLS began. `tlsNs` is null
 * if no handshake of TLS follows that of the transport: without TLS, over QUIC and over DTLS.
 */
function setUpOf(
  trace: Trace,
  connection: number,
  {hasTls}: Pick<WhyOptions, 'hasTls'>,
): {readonly openNs: number | null; readonly tlsNs: number | null} {
  const {client = -1} = trace.data.connections[connection] ?? {};
  const openNs = openedNs(trace.data, client) ?? null;
  const start = hasTls ? setUpStart(trace, client, {hasTls}) : undefined;
  const tlsNs = start?.tlsNs ?? null;
  return {openNs, tlsNs: tlsNs === start?.fromNs ? null : tlsNs};
}

/**
 * Finds the reason why a second connection to an origin was opened at `openNs`: the first connection had no answer yet.
 * Returns when the first connection was opened, and its first lost packet that was sent before `openNs`, if there is
 * one. Null if this connection is not the second one to its origin, or if the first one had received an answer.
 */
function unansweredAt(
  trace: Trace,
  connection: number,
  openNs: number,
): {readonly openNs: number; readonly lost: number | undefined} | null {
  const {packets, connections} = trace.data;
  const own = connections[connection];
  const [first, second] = [...connections.keys()].filter(
    each => connections[each]?.origin === own?.origin && connections[each]?.isAnonymous === own?.isAnonymous,
  );
  if (first === undefined || second !== connection) return null;
  const {client = -1, server = -1} = connections[first] ?? {};
  const firstNs = openedNs(trace.data, client);
  if (firstNs === undefined || firstNs >= openNs) return null;
  const isAnswered = packets.endpoint.some((sender, row) => {
    const hasArrived = packets.fate[row] === FATE.delivered && (packets.fateNs[row] ?? 0) <= openNs;
    return sender === server && hasArrived;
  });
  if (isAnswered) return null;
  const isOfFirst = (packet: number): boolean => [client, server].includes(packets.endpoint[packet] ?? -1);
  const lost = trace.droppedPackets().find(packet => isOfFirst(packet) && (packets.sentNs[packet] ?? 0) < openNs);
  return {openNs: firstNs, lost};
}

/**
 * The longest time for which a browser reads bytes before it requests the first object that they name, if no script
 * runs. In our captures of Chromium it took 8 to 18 ms.
 */
const LONGEST_READ_NS = 20e6;

/** The causes that a client sees by itself, without records of the path and the server. */
const SEEN_BY_CLIENT: ReadonlySet<CauseName> = new Set([
  'set-up',
  'tls',
  'scripts',
  'request-wait',
  'request-queue',
  'blocking',
  'paint',
]);

/** The causes that a load shows, by where its packets were recorded. */
const SEEN: {readonly [S in SeenAt]: ReadonlySet<CauseName>} = {
  client: SEEN_BY_CLIENT,
  server: new Set(['set-up', 'tls', 'server']),
  both: new Set([...SEEN_BY_CLIENT, 'server', 'transit', 'recovery-ack', 'recovery-probe', 'recovery-timeout']),
};

/**
 * For each place of recording, the direction in which the sending of packets was recorded but not their arrival. A
 * recording at both ends shows when each packet was sent. For the way down, it also shows when the client read the
 * data, so only the way up is listed.
 */
const SENDING: {readonly [S in SeenAt]: keyof typeof DIRECTION} = {client: 'up', server: 'down', both: 'up'};

const SEEN_OF_OWN_PACKETS: ReadonlySet<CauseName> = new Set([
  'recovery-ack',
  'recovery-probe',
  'recovery-timeout',
  'blocking',
]);

const SEEN_IN_SAMPLES: ReadonlySet<CauseName> = new Set(['slow-start', 'window', 'recovery-window']);

const RECOVERY_OF: {readonly [by in Noticed['by']]: CauseName} = {
  reports: 'recovery-ack',
  timer: 'recovery-ack',
  request: 'recovery-ack',
  probe: 'recovery-probe',
  timeout: 'recovery-timeout',
};
