/**
 * Returns the content of message `number` (from 0) on a stream. A message has 1 to 4000 bytes, so the largest ones need
 * several packets. Both ends of an interoperability test send these messages. usrsctp_peer.c and
 * native/netsim/examples/sctp_udp_peer.rs have the same function.
 */
export function message(stream: number, number: number): Buffer {
  const bytes = sizes[(number + stream) % sizes.length] as number;
  return Buffer.from(Array.from({length: bytes}, (_, at) => (at * 7 + number * 31 + stream * 101) & 0xff));
}

const sizes = [1, 100, 1400, 1440, 4000];
