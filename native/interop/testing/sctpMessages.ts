/**
 * Returns the content of message `number` on a stream, which has 1 to 4000 bytes. The largest messages need several
 * packets. Both ends of an interoperability test send these messages. native/netsim/examples/sctp_udp_peer.rs and
 * usrsctp_peer.c have the same function.
 */
export function message(stream: number, number: number): Buffer {
  const bytes = sizes[(number + stream) % sizes.length] as number;
  return Buffer.from(Array.from({length: bytes}, (_, at) => (at * 7 + number * 31 + stream * 101) & 0xff));
}

const sizes = [1, 100, 1400, 1440, 4000];
