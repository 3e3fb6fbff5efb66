/** Why a socket is of no use any more: as simulations call it, or else the system's code. */
export function systemReason({code, message}: NodeJS.ErrnoException): string {
  return code === undefined ? message : (REASONS[code] ?? code);
}

const REASONS: {readonly [code: string]: string} = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'peer-abort',
  EPIPE: 'peer-abort',
  ETIMEDOUT: 'data-timeout',
};
