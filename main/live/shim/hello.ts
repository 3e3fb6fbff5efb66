const PROTOCOL = 'interleave-shim/1';
const START = 'OPTIONS * HTTP/1.1';

/** Of both ends: ping, pong and how they begin. */
export const CONTROL_STREAM = 0;

/**
 * The near end's first message: an upgrade of the association (RFC 9110 §7.8). A server that knows nothing of it answers
 * it as a request, and its streams carry plain HTTP/1.1.
 */
export function hello(authority: string, token: string | undefined): Uint8Array {
  const lines = [START, `Host: ${authority}`, 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return message(lines);
}

/** The Authorization field of a near end's hello; undefined if it is another message. */
export function helloOf(bytes: Uint8Array): {readonly authorization: string | undefined} | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith(`${START}\r\n`) || !text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`)) return undefined;
  return {authorization: /\r\nAuthorization: (.*)\r\n/.exec(text)?.[1]};
}

/** The far end's. */
export const WELCOME = message(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`]);
export const REFUSAL = message(['HTTP/1.1 403 Forbidden', 'Content-Length: 0']);

/** What the other end is by its first message on the control stream. */
export function peerOf(answer: Uint8Array): 'gateway' | 'server' | 'refuses' | 'unknown' {
  const text = Buffer.from(answer).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3})[ \r]/.exec(text)?.[1];
  if (status === '101') return text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`) ? 'gateway' : 'unknown';
  if (status === undefined) return 'unknown';
  return status === '401' || status === '403' ? 'refuses' : 'server';
}

function message(lines: readonly string[]): Uint8Array {
  return Buffer.from([...lines, '', ''].join('\r\n'), 'latin1');
}
