import type {WhyOptions} from '../criticalPath.ts';

/** For tests: the options of a computed load without think time, TLS, look-ups of names, a browser and hand-overs. */
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
