import type {CapturedLoad} from './capturedLoad.ts';

/** Says for users what a captured load does not show. Empty if nothing is missing. */
export function notKnownOf({kind, seenAt, packets, samples}: CapturedLoad): readonly string[] {
  if (packets.length === 0)
    return [`${NAMES[kind]} has no packets: losses, waits for lost data and windows are not known`];
  return [
    ...NOT_SEEN[seenAt],
    ...(samples.length === 0 ? ['the windows of the senders'] : []),
    'how packets waited in queues',
  ].map(each => `not known: ${each}`);
}

const NAMES: {readonly [K in CapturedLoad['kind']]: string} = {
  pcap: 'this capture',
  qlog: 'this qlog',
  netlog: 'a network log of Chromium',
  har: 'a HAR file',
};

const NOT_SEEN: {readonly [S in CapturedLoad['seenAt']]: readonly string[]} = {
  client: ['when the server sent its packets, and which of them were lost', 'when the client’s packets arrived'],
  server: ['when the client sent its packets, and which of them were lost', 'when the server’s packets arrived'],
  both: ['when packets arrived, except that data had arrived when it was acknowledged'],
};
