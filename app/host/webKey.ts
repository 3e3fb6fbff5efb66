/**
 * The name of the meta element that holds a key. With the key, a window identifies itself to its web shell. The page
 * that contains the key can be opened once. The window offers the key as a subprotocol in the WebSocket's handshake
 * (RFC 6455 §1.9). The key is not a cookie, because browsers send cookies of 127.0.0.1 to servers on all of its ports
 * (RFC 6265 §8.5).
 */
export const KEY_META = 'interleave-key';

/** The subprotocol that window and shell use. */
const PROTOCOL = 'interleave';

/** The subprotocols that a window offers in the handshake: the one that is used, and one that contains the key. */
export function offeredProtocols(key: string): readonly string[] {
  return [PROTOCOL, PROTOCOL + KEY_MARK + key];
}

/** The key in the field `Sec-WebSocket-Protocol` of a handshake. Undefined if the field contains no key. */
export function offeredKey(header: string): string | undefined {
  const offered = header.split(',').map(each => each.trim());
  const marked = offered.find(each => each.startsWith(PROTOCOL + KEY_MARK));
  return offered.includes(PROTOCOL) ? marked?.slice(PROTOCOL.length + KEY_MARK.length) : undefined;
}

const KEY_MARK = '.key.';
