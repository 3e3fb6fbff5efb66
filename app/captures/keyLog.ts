/** Secrets of TLS sessions. */
export interface KeyLog {
  /**
   * Returns the secrets of a session by their labels. `random` is the random number of its ClientHello, in lower-case
   * hexadecimal.
   */
  get(random: string): Secrets | undefined;
}

type Secrets = ReadonlyMap<string, Uint8Array>;

/**
 * Reads a key log as browsers write it if SSLKEYLOGFILE is set (RFC 9850). Lines that are not secrets are ignored,
 * because the format has comments and programs append to the file at any time.
 */
export function readKeyLog(text: string): ReadonlyMap<string, Secrets> {
  const sessions = new Map<string, Map<string, Uint8Array>>();
  for (const line of text.split(/\r?\n/)) {
    const [, label, random, secret] = LINE.exec(line) ?? [];
    if (label === undefined || random === undefined || secret === undefined) continue;
    const session = sessions.get(random.toLowerCase()) ?? new Map<string, Uint8Array>();
    sessions.set(random.toLowerCase(), session.set(label, bytesOf(secret)));
  }
  return sessions;
}

/**
 * Joins two logs. They are not copied, because many captures may share a long log. If both have a secret, that of
 * `second` counts.
 */
export function joinedKeyLogs(first: KeyLog, second: KeyLog): KeyLog {
  return {get: random => joinedSecrets(first.get(random), second.get(random))};
}

function joinedSecrets(first: Secrets | undefined, second: Secrets | undefined): Secrets | undefined {
  return first && second ? new Map([...first, ...second]) : (first ?? second);
}

const LINE = /^([A-Z0-9_]+) ([\da-fA-F]{64}) ((?:[\da-fA-F]{2}){16,128})$/;

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], digits => Number.parseInt(digits, 16));
}
