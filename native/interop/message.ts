/**
 * Message `number` of a stream, one byte to several packets: what both ends send in an interoperability
 * test. `native/netsim/examples/sctp_udp_peer.rs` has the same.
 */
export function message(stream: number, number: number): Buffer {
  const bytes = sizes[(number + stream) % sizes.length] as number;
  return Buffer.from(Array.from({length: bytes}, (_, at) => (at * 7 + number * 31 + stream * 101) & 0xff));
}

const sizes = [1, 100, 1400, 1440, 4000];
