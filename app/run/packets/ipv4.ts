import {type ByteReader, hexText, type Part, partOf} from './part.ts';

/** Decodes an IPv4 header (RFC 791 §3.1). Also returns the protocol number, if the header is whole. */
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

/** Internet protocol numbers of IANA. */
const PROTOCOLS: {readonly [number: number]: string} = {6: 'TCP', 17: 'UDP', 132: 'SCTP'};
/** Size of a header without options. */
const PLAIN_BYTES = 20;
