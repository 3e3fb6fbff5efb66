import {decode} from '@msgpack/msgpack';

/** Limits for one message. A message that exceeds one of them is rejected. */
export interface MessageLimits {
  /** The deepest nesting of arrays and maps. */
  readonly depth: number;
  /** The largest number of values in all arrays and maps together. The keys of maps count as values. */
  readonly values: number;
  readonly arrayLength: number;
  readonly mapLength: number;
  readonly textBytes: number;
  readonly binaryBytes: number;
}

/**
 * Reads one MessagePack message. A few bytes can claim nested arrays of billions of values. The limits are therefore
 * checked before memory is allocated for what the bytes claim.
 * @throws RangeError, DecodeError if the message exceeds a limit or is not MessagePack
 */
export function decodeMessage(bytes: Uint8Array, limits: MessageLimits): unknown {
  checkNesting(bytes, limits);
  return decode(bytes, {
    maxArrayLength: limits.arrayLength,
    maxMapLength: limits.mapLength,
    maxStrLength: limits.textBytes,
    maxBinLength: limits.binaryBytes,
    // We do not use extensions.
    maxExtLength: 0,
  });
}

/**
 * Checks the depth and the number of values, which the library does not check. @throws RangeError if a limit is
 * exceeded, a value begins with an invalid byte, or the message ends too early
 */
function checkNesting(bytes: Uint8Array, {depth, values}: Pick<MessageLimits, 'depth' | 'values'>): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /**
   * The number of values that have not been read yet, for each array and map that is being read, from the outermost on.
   */
  const left = [1];
  let [at, counted] = [0, 0];
  for (let awaited = left.at(-1); awaited !== undefined; awaited = left.at(-1)) {
    if (awaited === 0) {
      left.pop();
      continue;
    }
    left[left.length - 1] = awaited - 1;
    if (at >= bytes.length) throw new RangeError('the message ends too early');
    const {bytes: size, values: inside} = formOf(view, at);
    at += size;
    if (inside === 0) continue;
    counted += inside;
    if (counted > values) throw new RangeError(`the message holds more than ${values} values`);
    if (left.length > depth) throw new RangeError(`the message is nested more than ${depth} deep`);
    left.push(inside);
  }
}

/** The size of a value in bytes, without the values that it contains, and the number of the values that it contains. */
interface Form {
  readonly bytes: number;
  readonly values: number;
}

/**
 * Returns the form of the value at `at`. The first byte and, in some formats, a length field after it determine the
 * form (MessagePack's specification, 'Formats'). @throws RangeError if the first byte is invalid or the message ends
 * too early
 */
function formOf(view: DataView, at: number): Form {
  const head = view.getUint8(at);
  if (head < 0x80 || head >= 0xe0) return {bytes: 1, values: 0};
  if (head < 0x90) return {bytes: 1, values: 2 * (head & 0x0f)};
  if (head < 0xa0) return {bytes: 1, values: head & 0x0f};
  if (head < 0xc0) return {bytes: 1 + (head & 0x1f), values: 0};
  const fixed = FIXED_BYTES.get(head);
  if (fixed !== undefined) return {bytes: 1 + fixed, values: 0};
  const form = LENGTHS.get(head);
  if (form === undefined) throw new RangeError(`no MessagePack value begins with the byte ${head}`);
  const length =
    form.bytes === 1 ? view.getUint8(at + 1) : form.bytes === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1);
  const own = 1 + form.bytes + form.extra;
  return form.each === 0 ? {bytes: own + length, values: 0} : {bytes: own, values: form.each * length};
}

/**
 * For each format of fixed size, the number of bytes after the first one. These formats are nil, false, true, floats,
 * integers, and fixed extensions. In an extension, one of these bytes is its type.
 */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  ...[0xc0, 0xc2, 0xc3].map(head => [head, 0] as const),
  [0xca, 4],
  [0xcb, 8],
  ...[1, 2, 4, 8, 1, 2, 4, 8].map((bytes, i) => [0xcc + i, bytes] as const),
  ...[1, 2, 4, 8, 16].map((bytes, i) => [0xd4 + i, 1 + bytes] as const),
]);

/**
 * The formats with a length field. `bytes` is the size of this field. `extra` is the number of further bytes before the
 * content: 1 for an extension, whose type follows the length, otherwise 0. `each` says how many values one unit of the
 * length means: 1 for arrays, 2 for maps, and 0 if the length counts bytes.
 */
const LENGTHS: ReadonlyMap<number, {readonly bytes: number; readonly extra: number; readonly each: number}> = new Map([
  ...lengths(0xc4, [1, 2, 4], {extra: 0, each: 0}),
  ...lengths(0xc7, [1, 2, 4], {extra: 1, each: 0}),
  ...lengths(0xd9, [1, 2, 4], {extra: 0, each: 0}),
  ...lengths(0xdc, [2, 4], {extra: 0, each: 1}),
  ...lengths(0xde, [2, 4], {extra: 0, each: 2}),
]);

function lengths(first: number, sizes: readonly number[], what: {readonly extra: number; readonly each: number}) {
  return sizes.map((bytes, i) => [first + i, {bytes, ...what}] as const);
}
