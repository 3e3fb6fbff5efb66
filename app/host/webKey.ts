/**
 * The name of the meta element that contains the key with which a window identifies itself to its web shell. The page
 * with the key can be opened only once. The window sends the key as a subprotocol in the WebSocket handshake (RFC 6455
 * §1.9). The key is not a cookie, because browsers send the cookies of 127.0.0.1 to servers on all ports (RFC 6265
 * §8.5).
 */
export const KEY_META = 'interleave-key';

/** The subprotocol that a window and its shell use. */
const PROTOCOL = 'interleave';

/**
 * Returns the subprotocols that a window offers in the handshake: the one that is used, and one that contains the key.
 */
export function offeredProtocols(key: string): readonly string[] {
  return [PROTOCOL, PROTOCOL + KEY_MARK + key];
}

/**
 * Returns the key in the field `Sec-WebSocket-Protocol` of a handshake, or undefined if the field does not offer both
 * subprotocols of {@link offeredProtocols}.
 */
export function offeredKey(header: string): string | undefined {
  const offered = header.split(',').map(each => each.trim());
  const marked = offered.find(each => each.startsWith(PROTOCOL + KEY_MARK));
  return offered.includes(PROTOCOL) ? marked?.slice(PROTOCOL.length + KEY_MARK.length) : undefined;
}

const KEY_MARK = '.key.';
