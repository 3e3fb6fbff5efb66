// The framing of the interleaving server.
// A server that writes several responses at once may put pieces of two responses on one stream. The rule 'data belongs
// to the head of the stream's queue' (N07 §4) then no longer tells which response a piece belongs to. Each message of
// such a server therefore starts with a tag of 4 bytes, big-endian: the number of the request on that stream, from 0.
// The next piece of that response follows, as unchanged HTTP/1.1 text. Both ends know from the scenario that tags are
// used; nothing is negotiated.

/** Size of the tag before each message's data. */
export const TAG_BYTES = 4;

/** A message: the tag, then the data. */
export function tagMessage(request: number, data: Uint8Array): Uint8Array {
  const message = new Uint8Array(TAG_BYTES + data.length);
  new DataView(message.buffer).setUint32(0, request);
  message.set(data, TAG_BYTES);
  return message;
}

/** Splits a message. Undefined if it is shorter than a tag. */
export function readTag(message: Uint8Array): {readonly request: number; readonly data: Uint8Array} | undefined {
  if (message.length < TAG_BYTES) return undefined;
  const request = new DataView(message.buffer, message.byteOffset, TAG_BYTES).getUint32(0);
  return {request, data: message.subarray(TAG_BYTES)};
}
