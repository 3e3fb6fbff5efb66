/** A call that a window makes over its WebSocket. */
export interface Request {
  /** The number of the call. Its answer has the same number. */
  readonly id: number;
  readonly call: string;
  readonly args: readonly unknown[];
}

/**
 * Parses a request, which is [id, call, args] in JSON. Returns undefined if it is invalid. Requests are in JSON instead
 * of MessagePack, because a list in MessagePack can claim to be longer than it is, and make the decoder reserve memory.
 */
export function parseRequest(text: string): Request | undefined {
  try {
    const request: unknown = JSON.parse(text);
    if (!Array.isArray(request) || request.length !== 3 || depth(request) > MOST_DEPTH) return undefined;
    const [id, call, args] = request;
    const isGood = Number.isSafeInteger(id) && typeof call === 'string' && Array.isArray(args);
    return isGood ? {id, call, args} : undefined;
  } catch {
    return undefined;
  }
}

/** Returns how deep arrays and objects are nested. It stops counting just beyond {@link MOST_DEPTH}. */
function depth(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > MOST_DEPTH) return above;
  return Object.values(value).reduce((most, child) => Math.max(most, depth(child, above + 1)), above + 1);
}

/** The deepest nesting that is accepted. The deepest value of a scenario is at level 7. */
const MOST_DEPTH = 32;
