// The tags of the interleaving server. A server that writes several responses at the same time may put pieces of two
// responses on one stream. The rule of N07 §4, that data belong to the first unanswered request of the stream, then
// assigns pieces to the wrong response. Each message of such a server therefore starts with a tag of 4 bytes,
// big-endian. The tag is the number of the request on that stream, from 0. The next piece of the response follows, in
// unchanged HTTP/1.1. Tags are not negotiated: both ends know from the scenario that they are used.

/** Size of the tag before each message's data. */
export const TAG_BYTES = 4;

/** Returns a message with the tag, followed by the data. */
export function tagMessage(request: number, data: Uint8Array): Uint8Array {
  const message = new Uint8Array(TAG_BYTES + data.length);
  new DataView(message.buffer).setUint32(0, request);
  message.set(data, TAG_BYTES);
  return message;
}

/** Splits a message into tag and data. Returns undefined if the message is shorter than a tag. */
export function readTag(message: Uint8Array): {readonly request: number; readonly data: Uint8Array} | undefined {
  if (message.length < TAG_BYTES) return undefined;
  const request = new DataView(message.buffer, message.byteOffset, TAG_BYTES).getUint32(0);
  return {request, data: message.subarray(TAG_BYTES)};
}
