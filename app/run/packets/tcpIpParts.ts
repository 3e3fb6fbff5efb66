import {ByteReader, dataFields, flagsText, hexText, type Part, partOf} from './part.ts';

/**
 * Decodes an IPv4 header (RFC 791 §3.1). `protocol` is the protocol number in the header, or undefined if the header is
 * truncated.
 */
export function decodeIpv4(bytes: ByteReader): {
  readonly header: Part;
  readonly protocol: number | undefined;
} {
  let protocol: number | undefined;
  let payloadBytes = 0;
  const header = partOf('IPv4', bytes, (header, {fields}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    const first = header.number(1, 'version and length');
    const headerBytes = (first & 15) * 4;
    add('version', first >> 4);
    add('header', `${headerBytes} B`);
    add('DSCP, ECN', hexText(header.number(1, 'DSCP and ECN'), 1));
    const totalBytes = header.number(2, 'total length');
    add('total length', `${totalBytes} B`);
    add('identification', hexText(header.number(2, 'identification'), 2));
    const fragment = header.number(2, 'flags and fragment offset');
    add('do not fragment', (fragment & 0x4000) === 0 ? 'no' : 'yes');
    add('TTL', header.number(1, 'TTL'));
    const carried = header.number(1, 'protocol');
    add('protocol', `${carried}${PROTOCOLS[carried] === undefined ? '' : ` (${PROTOCOLS[carried]})`}`);
    add('checksum', hexText(header.number(2, 'checksum'), 2));
    add('from', header.take(4, 'source address').join('.'));
    add('to', header.take(4, 'destination address').join('.'));
    if (headerBytes > PLAIN_BYTES) add('options', `${header.take(headerBytes - PLAIN_BYTES, 'options').length} B`);
    protocol = carried;
    payloadBytes = totalBytes - headerBytes;
  });
  const isCut = protocol !== undefined && payloadBytes > bytes.left;
  const fault = `cut short: the payload takes ${payloadBytes} B, and ${bytes.left} B are left`;
  return {header: isCut ? {...header, fault} : header, protocol};
}

/** Protocol names by their Internet protocol numbers (IANA). */
const PROTOCOLS: {readonly [number: number]: string} = {6: 'TCP', 17: 'UDP', 132: 'SCTP'};

/** Decodes a TCP segment (RFC 9293 §3.1). */
export function decodeTcp(bytes: ByteReader): Part {
  return partOf('TCP', bytes, (segment, {fields, parts}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('from port', segment.number(2, 'source port'));
    add('to port', segment.number(2, 'destination port'));
    add('sequence number', segment.number(4, 'sequence number'));
    add('acknowledgment number', segment.number(4, 'acknowledgment number'));
    const offset = segment.number(1, 'data offset');
    const headerBytes = (offset >> 4) * 4;
    add('header', `${headerBytes} B`);
    add('flags', flagsText(((offset & 1) << 8) | segment.number(1, 'flags'), FLAGS));
    add('window', segment.number(2, 'window'));
    add('checksum', hexText(segment.number(2, 'checksum'), 2));
    add('urgent pointer', segment.number(2, 'urgent pointer'));
    const options = new ByteReader(segment.take(Math.max(headerBytes - PLAIN_BYTES, 0), 'options'));
    while (options.left > 0) {
      const kind = options.number(1, 'option');
      // RFC 9293 §3.2: 0 ends the list, and 1 is padding, which is not shown.
      if (kind === 0) break;
      if (kind !== 1) parts.push(decodeOption(kind, options));
    }
    const data = segment.rest();
    if (data.length > 0) fields.push(...dataFields(data));
  });
}

function decodeOption(kind: number, options: ByteReader): Part {
  const {name, read} = OPTIONS.get(kind) ?? {name: `option ${kind}`, read: undefined};
  return partOf(name, options, (list, {fields}) => {
    // The length counts the bytes of kind and length, too.
    const length = list.number(1, 'option length');
    const value = new ByteReader(list.take(Math.max(length - 2, 0), name));
    if (read === undefined) fields.push({name: 'value', text: `${value.left} B`});
    else read(value, (name, text) => fields.push({name, text: String(text)}));
  });
}

type ReadOption = (value: ByteReader, add: (name: string, text: string | number) => void) => void;

/** The options of a TCP header by their kinds (RFC 9293 §3.2, RFC 7323 §2.2 and §3.2, RFC 2018 §2 and §3). */
const OPTIONS: ReadonlyMap<number, {readonly name: string; readonly read: ReadOption}> = new Map([
  [2, {name: 'maximum segment size', read: (value, add) => add('MSS', `${value.number(2, 'MSS')} B`)}],
  [3, {name: 'window scale', read: (value, add) => add('shift', value.number(1, 'shift'))}],
  [4, {name: 'SACK permitted', read: () => undefined}],
  [
    5,
    {
      name: 'SACK',
      read: (value, add) => {
        while (value.left > 0) add('block', `${value.number(4, 'left edge')} – ${value.number(4, 'right edge')}`);
      },
    },
  ],
  [
    8,
    {
      name: 'timestamps',
      read: (value, add) => {
        add('value', value.number(4, 'TSval'));
        add('echo', value.number(4, 'TSecr'));
      },
    },
  ],
] satisfies readonly (readonly [number, {readonly name: string; readonly read: ReadOption}])[]);

/** The flags of a TCP header (RFC 9293 §3.1, RFC 3168 §6.1, RFC 9768 §3.1). */
const FLAGS = [
  [256, 'AE'],
  [128, 'CWR'],
  [64, 'ECE'],
  [32, 'URG'],
  [16, 'ACK'],
  [8, 'PSH'],
  [4, 'RST'],
  [2, 'SYN'],
  [1, 'FIN'],
] as const;

/** Size of an IPv4 header without options, and of a TCP header without options. */
const PLAIN_BYTES = 20;

/** Decodes a UDP datagram (RFC 768). */
export function decodeUdp(bytes: ByteReader): Part {
  return partOf('UDP', bytes, (datagram, {fields}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('from port', datagram.number(2, 'source port'));
    add('to port', datagram.number(2, 'destination port'));
    add('length', `${datagram.number(2, 'length')} B`);
    add('checksum', hexText(datagram.number(2, 'checksum'), 2));
    fields.push(...dataFields(datagram.rest()));
  });
}
