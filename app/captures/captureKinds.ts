import type {CapturedLoad} from './capturedLoad.ts';

/** Returns sentences for users that say what a captured load does not show. */
export function notKnownOf({kind, seenAt, packets, samples}: CapturedLoad): readonly string[] {
  if (packets.length === 0)
    return [`${NAMES[kind]} has no packets, so losses, windows, and waits for lost data are not known.`];
  const isTimed =
    packets.some(({arrivedNs}) => arrivedNs !== undefined) &&
    packets.every(({fate, arrivedNs}) => fate !== 'delivered' || arrivedNs !== undefined);
  return [
    ...(isTimed ? [] : NOT_SEEN[seenAt]),
    ...(samples.length === 0 ? ['The windows of the senders are not known.'] : []),
    'It is not known how long packets waited in queues.',
  ];
}

const NAMES: {readonly [K in CapturedLoad['kind']]: string} = {
  pcap: 'This capture',
  qlog: 'This qlog file',
  netlog: 'This network log of Chromium',
  har: 'This HAR file',
};

const NOT_SEEN: {readonly [S in CapturedLoad['seenAt']]: readonly string[]} = {
  client: [
    'The client does not see when the server sent its packets, nor which of them were lost.',
    'The client does not see when its own packets arrived.',
  ],
  server: [
    'The server does not see when the client sent its packets, nor which of them were lost.',
    'The server does not see when its own packets arrived. Data counts as arrived when it was acknowledged.',
  ],
  both: ['Packets have no times of arrival. Data arrived when it was acknowledged, or earlier.'],
};
