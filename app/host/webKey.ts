/**
 * How a window proves to its web shell that it is the one: by a key, which the page brings that was opened by an address
 * that works once, and which the WebSocket's handshake then offers as a subprotocol (RFC 6455 §1.9). It is no cookie: those
 * of 127.0.0.1 go to servers at all of its ports (RFC 6265 §8.5).
 */
export const KEY_META = 'interleave-key';

/** The subprotocol that the shell speaks. */
const PROTOCOL = 'interleave';

/** What a window offers. */
export function offeredProtocols(key: string): readonly string[] {
  return [PROTOCOL, PROTOCOL + KEY_MARK + key];
}

/** The key in a handshake's `Sec-WebSocket-Protocol`; undefined if none is offered. */
export function offeredKey(header: string): string | undefined {
  const offered = header.split(',').map(each => each.trim());
  const marked = offered.find(each => each.startsWith(PROTOCOL + KEY_MARK));
  return offered.includes(PROTOCOL) ? marked?.slice(PROTOCOL.length + KEY_MARK.length) : undefined;
}

const KEY_MARK = '.key.';
