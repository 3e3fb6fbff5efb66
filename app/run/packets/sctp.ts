import {ByteReader, hexText, type Part, partOf} from './part.ts';
import {CHUNKS} from './sctpChunks.ts';

/** Decodes an SCTP packet with its chunks (RFC 9260 §3). */
export function decodeSctp(bytes: ByteReader): Part {
  return partOf('SCTP', bytes, (packet, {fields, parts}) => {
    const add = (name: string, text: string | number): unknown => fields.push({name, text: String(text)});
    add('from port', packet.number(2, 'source port'));
    add('to port', packet.number(2, 'destination port'));
    add('verification tag', hexText(packet.number(4, 'verification tag'), 4));
    add('CRC32c', hexText(packet.number(4, 'checksum'), 4));
    while (packet.left > 0) parts.push(decodeChunk(packet));
  });
}

/** RFC 9260 §3.2. */
function decodeChunk(packet: ByteReader): Part {
  const type = packet.number(1, 'chunk type');
  const {name, read} = CHUNKS.get(type) ?? {name: `chunk ${type}`, read: undefined};
  const chunk = partOf(name, packet, (from, out) => {
    const flags = from.number(1, 'chunk flags');
    const length = from.number(2, 'chunk length');
    out.fields.push({name: 'length', text: `${length} B`});
    // The length includes type, flags and length, but not the padding to a multiple of 4.
    const value = new ByteReader(from.take(Math.max(length - 4, 0), name));
    from.take(Math.min((4 - (length % 4)) % 4, from.left), 'padding');
    if (read !== undefined) out.parts.push(...read({flags, value, fields: out.fields}));
    else if (value.left > 0) out.fields.push({name: 'value', text: `${value.left} B`});
  });
  // Bytes after a chunk with an unknown end cannot be interpreted.
  if (chunk.fault !== undefined) packet.rest();
  return chunk;
}
