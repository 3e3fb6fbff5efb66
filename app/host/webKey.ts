/**
 * The name of the meta element with the key by which a window identifies itself to its web shell. The page that
 * contains the key can be opened once. The WebSocket's handshake offers the key as a subprotocol (RFC 6455 §1.9). It is
 * not a cookie, because cookies of 127.0.0.1 are sent to servers on all of its ports (RFC 6265 §8.5).
 */
export const KEY_META = 'interleave-key';

/** The subprotocol that the shell speaks. */
const PROTOCOL = 'interleave';

/** The subprotocols that a window offers. */
export function offeredProtocols(key: string): readonly string[] {
  return [PROTOCOL, PROTOCOL + KEY_MARK + key];
}

/** The key in a handshake's `Sec-WebSocket-Protocol` field; undefined if it offers none. */
export function offeredKey(header: string): string | undefined {
  const offered = header.split(',').map(each => each.trim());
  const marked = offered.find(each => each.startsWith(PROTOCOL + KEY_MARK));
  return offered.includes(PROTOCOL) ? marked?.slice(PROTOCOL.length + KEY_MARK.length) : undefined;
}

const KEY_MARK = '.key.';
