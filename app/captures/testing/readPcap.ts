import {latin1} from '../../base/bytes.ts';
import type {RecordedPacket, UdpDatagram} from '../recordedPacket.ts';

/**
 * For tests: reads a pcap file of IPv4 or IPv6 packets with UDP over Ethernet (draft-ietf-opsawg-pcap). The direction
 * of datagrams to `serverPort` is `up`.
 */
export function readPcap(file: Uint8Array, serverPort: number): readonly UdpDatagram[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const datagrams: UdpDatagram[] = [];
  let startNs: number | undefined;
  for (let at = 24; at + 16 <= file.length; at += 16 + view.getUint32(at + 8, true)) {
    const captured = view.getUint32(at + 8, true);
    const timeNs = view.getUint32(at, true) * 1e9 + view.getUint32(at + 4, true) * 1e3;
    startNs ??= timeNs;
    const data = file.subarray(at + 16 + ETHERNET_BYTES, at + 16 + captured);
    const bytes = view.getUint32(at + 12, true) - ETHERNET_BYTES;
    datagrams.push(
      udpDatagram({row: datagrams.length, atNs: timeNs - startNs, bytes, data, comment: '', interface: ''}, serverPort),
    );
  }
  return datagrams;
}

/** For tests: reads the UDP datagram in an IP packet. */
function udpDatagram(packet: RecordedPacket, serverPort: number): UdpDatagram {
  const {data} = packet;
  const isV6 = (data[0] ?? 0) >> 4 === 6;
  const udp = isV6 ? 40 : ((data[0] ?? 0) & 15) * 4;
  const to = (data[udp + 2] ?? 0) * 256 + (data[udp + 3] ?? 0);
  const ecn = isV6 ? ((data[1] ?? 0) >> 4) & 3 : (data[1] ?? 0) & 3;
  return {packet, direction: to === serverPort ? 'up' : 'down', payload: data.subarray(udp + 8), ecn};
}

const ETHERNET_BYTES = 14;

/** For tests: reads a pcapng file that this program wrote (`capture.rs` in netsim). All of its packets must be UDP. */
export function readOwnCapture(file: Uint8Array, serverPort: number): readonly UdpDatagram[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const text = (from: number, bytes: number) => latin1(file.subarray(from, from + bytes));
  const optionAt = (from: number, end: number, code: number): string => {
    for (let at = from; at + 4 <= end; at += 4 + Math.ceil(view.getUint16(at + 2, true) / 4) * 4) {
      if (view.getUint16(at, true) === code) return text(at + 4, view.getUint16(at + 2, true));
    }
    return '';
  };
  const names: string[] = [];
  const datagrams: UdpDatagram[] = [];
  for (let at = 0; at < file.length; at += view.getUint32(at + 4, true)) {
    const [type, end] = [view.getUint32(at, true), at + view.getUint32(at + 4, true) - 4];
    if (type === 1) names.push(optionAt(at + 16, end, 2));
    if (type !== 6) continue;
    const captured = view.getUint32(at + 20, true);
    const packet = {
      row: datagrams.length,
      atNs: view.getUint32(at + 12, true) * 2 ** 32 + view.getUint32(at + 16, true),
      bytes: view.getUint32(at + 24, true),
      data: file.subarray(at + 28, at + 28 + captured),
      comment: optionAt(at + 28 + Math.ceil(captured / 4) * 4, end, 1),
      interface: names[view.getUint32(at + 8, true)] ?? '',
    };
    datagrams.push(udpDatagram(packet, serverPort));
  }
  return datagrams;
}
