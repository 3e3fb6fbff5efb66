/** Secrets of TLS sessions, by the random number of the session's ClientHello in hexadecimal, then by label. */
export type KeyLog = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;

/**
 * Reads a key log as browsers write it if SSLKEYLOGFILE is set (RFC 9850). Lines that are not secrets are ignored,
 * because the format has comments and programs append to the file at any time.
 */
export function readKeyLog(text: string): KeyLog {
  const sessions = new Map<string, Map<string, Uint8Array>>();
  for (const line of text.split(/\r?\n/)) {
    const [, label, random, secret] = LINE.exec(line) ?? [];
    if (label === undefined || random === undefined || secret === undefined) continue;
    const session = sessions.get(random.toLowerCase()) ?? new Map<string, Uint8Array>();
    sessions.set(random.toLowerCase(), session.set(label, bytesOf(secret)));
  }
  return sessions;
}

const LINE = /^([A-Z0-9_]+) ([\da-fA-F]{64}) ((?:[\da-fA-F]{2}){16,128})$/;

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], digits => Number.parseInt(digits, 16));
}
