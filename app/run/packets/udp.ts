import {type ByteReader, dataFields, hexText, type Part, partOf} from './part.ts';

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
