import type {WhyOptions} from '../criticalPath.ts';

/**
 * For tests: the options of a simulated load without think time, without TLS and without look-ups of names. No model of
 * a browser delays its start, and the client never moves to another path.
 */
export const PLAIN_OPTIONS: WhyOptions = {
  thinkNs: 0,
  isHtmlAwaited: false,
  hasTls: false,
  startNs: 0,
  dnsNs: 0,
  hasPriorities: false,
  handOversNs: [],
  seenAt: null,
  isFindingSeen: true,
  isPaintSeen: true,
};
