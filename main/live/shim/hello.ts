const PROTOCOL = 'interleave-shim/1';
const START = 'OPTIONS * HTTP/1.1';

/** Both ends send pings, pongs and their first messages on this stream. */
export const CONTROL_STREAM = 0;

/**
 * The near end's first message asks for an upgrade of the association (RFC 9110 §7.8). A server that does not know it
 * answers as to any request; then the streams carry plain HTTP/1.1.
 */
export function hello(authority: string, token: string | undefined): Uint8Array {
  const lines = [START, `Host: ${authority}`, 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return message(lines);
}

/** The Authorization field of a near end's hello. Undefined if the message is something else. */
export function helloOf(bytes: Uint8Array): {readonly authorization: string | undefined} | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith(`${START}\r\n`) || !text.includes(`\r\nUpgrade: ${PROTOCOL}\r\n`)) return undefined;
  return {authorization: /\r\nAuthorization: (.*)\r\n/.exec(text)?.[1]};
}

/** The far end's answers. */
export const WELCOME = message(['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${PROTOCOL}`]);
export const REFUSAL = message(['HTTP/1.1 403 Forbidden', 'Content-Length: 0']);

/** What the other end is, by its first message on the control stream. */
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
