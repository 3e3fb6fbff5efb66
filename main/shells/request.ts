/** What a window asks over its WebSocket. */
export interface Request {
  /** The answer's. */
  readonly id: number;
  readonly call: string;
  readonly args: readonly unknown[];
}

/**
 * A request, [id, call, args] in JSON; undefined for what is none. In JSON, unlike MessagePack, what claims to be
 * large is: a length cannot be claimed without being sent.
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

/** How deep arrays and objects stand in each other; counting ends beyond what is allowed. */
function depth(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > MOST_DEPTH) return above;
  return Object.values(value).reduce((most, child) => Math.max(most, depth(child, above + 1)), above + 1);
}

/** A scenario's deepest place is at 7. */
const MOST_DEPTH = 32;
