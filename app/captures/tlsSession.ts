import type {CaptureCrypto} from './capturedLoad.ts';
import type {KeyLog} from './keyLog.ts';
import {numberAt} from './numbers.ts';
import {readHello, type TlsHello} from './tlsHello.ts';
import {TAG_BYTES, TLS_SUITES, TlsOpener} from './tlsKeys.ts';

/** A record of application data in the stream of its sender. */
export interface TlsData {
  /** Offset of the record in the stream. */
  readonly from: number;
  /** Offset of the end of the record. */
  readonly to: number;
  readonly content: Uint8Array;
}

/** What the records of both ends contain. */
export interface TlsSession {
  readonly up: readonly TlsData[];
  readonly down: readonly TlsData[];
  readonly serverName: string;
  /** Offset of the client's first encrypted record, with which it ends its handshake or begins early data. */
  readonly clientReadyAt: number | undefined;
  /**
   * Why some or all data could not be opened. Undefined if everything was opened, except perhaps early data, or if the
   * client sent nothing encrypted.
   */
  readonly problem: TlsProblem | undefined;
}

/**
 * `hello`: the capture lacks the ClientHello or the ServerHello. `keys`: the key log lacks a secret of the session.
 * `version`: the session has an older version than TLS 1.3. `suite`: this program cannot open records of the session's
 * cipher suite. `damaged`: a record cannot be opened although its secret is known.
 */
export type TlsProblem = 'hello' | 'keys' | 'version' | 'suite' | 'damaged';

/** Whether a stream begins with a TLS record that has a handshake message (RFC 8446 §5.1). */
export function isTls(stream: Uint8Array): boolean {
  return stream[0] === CONTENT.handshake && stream[1] === 3 && (stream[2] ?? 255) <= 4;
}

/**
 * Opens the records of a session of TLS 1.3 (RFC 8446 §5) with the secrets of the key log. This program's own captures
 * need no secrets, because their records are not encrypted.
 */
export function openTls(up: Uint8Array, down: Uint8Array, keys: KeyLog, crypto: CaptureCrypto): TlsSession {
  const records = {up: readRecords(up), down: readRecords(down)};
  const hellos = [...hellosOf(records.up, up), ...hellosOf(records.down, down)];
  const clients = hellos.find(({isClients}) => isClients);
  // a HelloRetryRequest names the same version and suite as the ServerHello after it (RFC 8446 §4.1.4)
  const servers = hellos.find(({isClients}) => !isClients);
  const ready = records.up.find(({type}) => type === CONTENT.applicationData);
  const about = {serverName: clients?.serverName ?? '', clientReadyAt: ready?.from};
  const closed = (problem: TlsProblem | undefined): TlsSession => ({up: [], down: [], ...about, problem});
  if (isUnencrypted(records.up, up) || isUnencrypted(records.down, down)) {
    return {up: plainData(records.up, up), down: plainData(records.down, down), ...about, problem: undefined};
  }
  // the client sent nothing encrypted, for example because it gave up the connection during the handshake
  if (ready === undefined) return closed(undefined);
  if (servers !== undefined && !servers.is13) return closed('version');
  // only the ClientHello says which secrets belong to the session
  if (clients === undefined) return closed('hello');
  const secrets = keys.get(clients.random);
  if (secrets === undefined) return closed('keys');
  if (servers === undefined) return closed('hello');
  const suite = TLS_SUITES.get(servers.suite);
  if (suite === undefined) return closed('suite');
  const opener = (label: string): TlsOpener | undefined => {
    const secret = secrets.get(label);
    return secret === undefined ? undefined : new TlsOpener(suite, secret, crypto);
  };
  const openersOf = (end: string): Openers => ({
    early: end === 'CLIENT' ? opener('CLIENT_EARLY_TRAFFIC_SECRET') : undefined,
    handshake: opener(`${end}_HANDSHAKE_TRAFFIC_SECRET`),
    data: opener(`${end}_TRAFFIC_SECRET_0`),
  });
  const ofClient = openRecords(records.up, up, openersOf('CLIENT'));
  const ofServer = openRecords(records.down, down, openersOf('SERVER'));
  const data = {up: ofClient.data, down: ofServer.data};
  // a server that refuses early data ignores it, and the client sends it again (RFC 8446 §4.2.10)
  if (!ofServer.acceptsEarlyData) data.up = data.up.filter(({isEarly}) => !isEarly);
  return {...data, ...about, problem: ofClient.problem ?? ofServer.problem};
}

interface TlsRecord {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

function readRecords(stream: Uint8Array): readonly TlsRecord[] {
  const records: TlsRecord[] = [];
  for (let from = 0; from + HEADER_BYTES <= stream.length && records.length < MOST_RECORDS; ) {
    const type = stream[from] ?? 0;
    const to = from + HEADER_BYTES + numberAt(stream, from + 3, 2);
    const isKnown = type >= 20 && type <= 24 && stream[from + 1] === 3;
    if (!isKnown || to > stream.length) break;
    records.push({type, from, to});
    from = to;
  }
  return records;
}

/** Returns the hellos in the unencrypted messages of a handshake. */
function hellosOf(records: readonly TlsRecord[], stream: Uint8Array): readonly TlsHello[] {
  const messages = new Messages();
  const hellos: TlsHello[] = [];
  for (const {type, from, to} of records) {
    if (type === CONTENT.applicationData) break;
    if (type !== CONTENT.handshake) continue;
    for (const message of messages.push(stream.subarray(from + HEADER_BYTES, to))) {
      const hello = readHello(message);
      if (hello !== undefined) hellos.push(hello);
    }
  }
  return hellos;
}

/** Whether the first record of application data ends with a tag of zeros. This program writes such tags. */
function isUnencrypted(records: readonly TlsRecord[], stream: Uint8Array): boolean {
  const sealed = records.find(({type}) => type === CONTENT.applicationData);
  if (sealed === undefined || sealed.to - sealed.from < HEADER_BYTES + 1 + TAG_BYTES) return false;
  return stream.subarray(sealed.to - TAG_BYTES, sealed.to).every(byte => byte === 0);
}

function plainData(records: readonly TlsRecord[], stream: Uint8Array): readonly TlsData[] {
  return records.flatMap(({type, from, to}): readonly TlsData[] => {
    if (type !== CONTENT.applicationData) return [];
    const {type: inner, content} = innerOf(stream.subarray(from + HEADER_BYTES, to - TAG_BYTES));
    return inner === CONTENT.applicationData ? [{from, to, content}] : [];
  });
}

interface Openers {
  readonly early: TlsOpener | undefined;
  readonly handshake: TlsOpener | undefined;
  readonly data: TlsOpener | undefined;
}

interface Opened {
  readonly data: readonly (TlsData & {readonly isEarly: boolean})[];
  readonly problem: TlsProblem | undefined;
  /** Whether the end accepted early data in EncryptedExtensions. */
  readonly acceptsEarlyData: boolean;
}

/** Opens the records of one end: those of early data first, then those of the handshake, then those of data. */
function openRecords(records: readonly TlsRecord[], stream: Uint8Array, openers: Openers): Opened {
  const data: (TlsData & {isEarly: boolean})[] = [];
  const {early, handshake} = openers;
  let later = openers.data;
  let phase: 'before' | 'handshake' | 'data' = 'before';
  let acceptsEarlyData = false;
  const messages = new Messages();
  for (const {type, from, to} of records) {
    if (type !== CONTENT.applicationData) continue;
    const [header, sealed] = [stream.subarray(from, from + HEADER_BYTES), stream.subarray(from + HEADER_BYTES, to)];
    let inner = phase === 'data' ? later?.open(header, sealed) : handshake?.open(header, sealed);
    const isEarly = inner === undefined && phase === 'before';
    if (isEarly) {
      inner = early?.open(header, sealed);
      // without its secret, early data is left out
      if (inner === undefined) continue;
    } else if (phase === 'before') phase = 'handshake';
    if (inner === undefined) {
      const isKept = (phase === 'data' ? later : handshake) !== undefined;
      return {data, problem: isKept ? 'damaged' : 'keys', acceptsEarlyData};
    }
    const {type: innerType, content} = innerOf(inner);
    if (innerType === CONTENT.applicationData) data.push({from, to, content, isEarly});
    if (innerType !== CONTENT.handshake) continue;
    for (const message of messages.push(content)) {
      if (message[0] === MESSAGE.encryptedExtensions) acceptsEarlyData = hasEarlyData(message);
      if (message[0] === MESSAGE.finished && phase === 'handshake') phase = 'data';
      else if (message[0] === MESSAGE.keyUpdate && phase === 'data') later = later?.next();
    }
  }
  const isOpened = phase !== 'before' || records.every(({type}) => type !== CONTENT.applicationData);
  return {data, problem: isOpened ? undefined : 'keys', acceptsEarlyData};
}

/** Removes the padding and the type of a record's content (RFC 8446 §5.4). */
function innerOf(inner: Uint8Array): {readonly type: number; readonly content: Uint8Array} {
  let end = inner.length;
  while (end > 0 && inner[end - 1] === 0) end -= 1;
  return {type: inner[end - 1] ?? 0, content: inner.subarray(0, Math.max(end - 1, 0))};
}

/** Whether EncryptedExtensions has the extension early_data (RFC 8446 §4.2.10, §4.3.1). */
function hasEarlyData(message: Uint8Array): boolean {
  const end = Math.min(6 + numberAt(message, 4, 2), message.length);
  for (let at = 6; at + 4 <= end; at += 4 + numberAt(message, at + 2, 2))
    if (numberAt(message, at, 2) === EARLY_DATA) return true;
  return false;
}

/** Splits the contents of handshake records into messages (RFC 8446 §4). */
class Messages {
  #unread = new Uint8Array(0);
  #total = 0;

  push(bytes: Uint8Array): readonly Uint8Array[] {
    this.#total += bytes.length;
    if (this.#total > MOST_HANDSHAKE_BYTES) return [];
    const all = new Uint8Array(this.#unread.length + bytes.length);
    all.set(this.#unread);
    all.set(bytes, this.#unread.length);
    const messages: Uint8Array[] = [];
    let at = 0;
    while (at + 4 <= all.length) {
      const end = at + 4 + numberAt(all, at + 1, 3);
      if (end > all.length) break;
      messages.push(all.subarray(at, end));
      at = end;
    }
    this.#unread = all.slice(at);
    return messages;
  }
}

const CONTENT = {handshake: 22, applicationData: 23} as const;
const MESSAGE = {encryptedExtensions: 8, finished: 20, keyUpdate: 24} as const;
const EARLY_DATA = 42;
const HEADER_BYTES = 5;
/** The most records that are read of one end. A million records of usual sizes have more than a gigabyte. */
const MOST_RECORDS = 1_000_000;
/** The most bytes of handshake messages that are read of one end. A chain of certificates has a few thousand. */
const MOST_HANDSHAKE_BYTES = 1 << 18;
