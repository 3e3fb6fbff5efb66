import {joinedBytes} from '../../http/buffers.ts';
import {ByteReader, type Field, hexText, type Part, partOf} from './part.ts';
import {innerSlice, isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';
import {decodeHandshake} from './tlsHandshakeParts.ts';

/** Whether a stream begins with a handshake record of TLS. Every stream of TLS records does. */
export function isTls(stream: Uint8Array): boolean {
  return stream[0] === CONTENT.handshake && stream[1] === 3 && stream[2] !== undefined && stream[2] <= 4;
}

/** Decodes the TLS 1.3 records (RFC 8446 §5) that a packet carries. `inner` decodes the application data. */
export function decodeTls(slice: Slice, inner: (slice: Slice) => readonly Part[]): readonly Part[] {
  const {records, fault} = readRecords(slice.stream);
  const plain = new Map<number, Uint8Array>(
    [CONTENT.handshake, CONTENT.applicationData].map(type => [type, contentOf(slice.stream, records, type)]),
  );
  const parts = unitsIn(records, slice).map((record): Part => {
    const fields = isContinued(record, slice) ? shareFields(record, slice) : recordFields(record, slice);
    const stream = plain.get(record.contentType);
    const content = stream === undefined ? null : innerSlice(slice, record.content, stream, record.at);
    const decode = record.contentType === CONTENT.handshake ? decodeHandshake : inner;
    const isEmpty = content === null || content.to <= content.from;
    const part = {name: nameOf(record, slice), fields, parts: isEmpty ? [] : decode(content)};
    const isLess = record.content.to < record.content.from;
    return isLess ? {...part, fault: `an encrypted record has at least ${1 + TAG_BYTES} B`} : part;
  });
  const end = records.at(-1)?.to ?? 0;
  const name = fault === undefined ? 'the beginning of a TLS record' : 'bytes';
  return [...parts, ...remainder(slice, end, name, fault)];
}

/** Returns the application data in a stream of TLS records. */
export function applicationData(stream: Uint8Array): Uint8Array {
  return contentOf(stream, readRecords(stream).records, CONTENT.applicationData);
}

interface TlsRecord extends Unit {
  readonly type: number;
  readonly version: number;
  /** Whether real TLS would encrypt the record. In such a record, the real type and a tag follow the content. */
  readonly isSealed: boolean;
  readonly contentType: number;
  readonly content: Unit;
  /** The offset of this record's content in the joined contents of all records of the same type. */
  readonly at: number;
}

function nameOf(record: TlsRecord, slice: Slice): string {
  const name = `TLS record, ${TYPES.get(record.contentType) ?? `type ${record.contentType}`}`;
  return isContinued(record, slice) ? `continues ${name}` : name;
}

/** Returns the fields of a record's header (RFC 8446 §5.1, and §5.2 for encrypted records). */
function recordFields(record: TlsRecord, slice: Slice): readonly Field[] {
  const typed = (type: number): string => `${type} (${TYPES.get(type) ?? 'unknown'})`;
  const {content} = record;
  const inner = [
    {name: 'content', text: `${Math.max(content.to - content.from, 0)} B`},
    {name: 'inner type', text: typed(record.contentType)},
    {name: 'tag', text: `${TAG_BYTES} B`},
  ];
  return [
    {name: record.isSealed ? 'opaque_type' : 'type', text: typed(record.type)},
    {name: 'legacy_record_version', text: hexText(record.version, 2)},
    {name: 'length', text: `${record.to - record.from - HEADER_BYTES} B`},
    ...(record.isSealed ? inner : []),
    ...shareFields(record, slice),
  ];
}

/** Reads records up to the first invalid one. */
function readRecords(stream: Uint8Array): {readonly records: readonly TlsRecord[]; readonly fault?: string} {
  const records: TlsRecord[] = [];
  const ends = new Map<number, number>();
  const bytes = new ByteReader(stream);
  let isOurs = true;
  partOf('TLS', bytes, () => {
    while (bytes.left > 0) {
      const from = stream.length - bytes.left;
      const [type, version] = [bytes.number(1, 'type'), bytes.number(2, 'legacy_record_version')];
      isOurs = TYPES.has(type) && version >> 8 === 3;
      if (!isOurs) return;
      const to = from + HEADER_BYTES + bytes.number(2, 'length');
      const isSealed = type === CONTENT.applicationData;
      const content = {from: from + HEADER_BYTES, to: isSealed ? to - 1 - TAG_BYTES : to};
      // The real type is the last byte before the tag. If the record is truncated, the type is not known, and the
      // content is taken for application data.
      const contentType = isSealed ? (stream[content.to] ?? CONTENT.applicationData) : type;
      const at = ends.get(contentType) ?? 0;
      ends.set(contentType, at + Math.max(content.to - content.from, 0));
      records.push({from, to, type, version, isSealed, contentType, content, at});
      bytes.take(to - from - HEADER_BYTES, 'record');
    }
  });
  return isOurs ? {records} : {records, fault: 'not a TLS record'};
}

function contentOf(stream: Uint8Array, records: readonly TlsRecord[], type: number): Uint8Array {
  const own = records.filter(({contentType}) => contentType === type);
  return joinedBytes(own.map(({content}) => stream.subarray(content.from, Math.max(content.to, content.from))));
}

const CONTENT = {handshake: 22, applicationData: 23} as const;
/** The content types of records by their numbers (RFC 8446 §5.1). */
const TYPES: ReadonlyMap<number, string> = new Map([
  [20, 'change_cipher_spec'],
  [21, 'alert'],
  [CONTENT.handshake, 'handshake'],
  [CONTENT.applicationData, 'application_data'],
]);
const HEADER_BYTES = 5;
/** Size of the tag of AEAD_AES_128_GCM (RFC 5116 §5.1). It is all zeros here, because nothing is encrypted. */
const TAG_BYTES = 16;
