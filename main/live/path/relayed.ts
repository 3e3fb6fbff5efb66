import {carriesData} from '../../net/encapsulation.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {isTcpData} from '../../net/tcpInUdp.ts';

/** What goes through a path: each has a port of its own, so far behind the first. */
export interface Relayed {
  readonly name: 'sctp' | 'quic' | 'tcp';
  readonly portOffset: number;
  /**
   * What a simulation's path counts with a packet besides what is in the datagram: IP's header, and UDP's where the
   * transport has one by itself. That SCTP and TCP are in UDP here is left out.
   */
  readonly headerBytes: number;
  /** It draws a fate of loss that applies to data. */
  readonly hasData: (datagram: Buffer) => boolean;
}

const IP_BYTES = 20;
/** RFC 768. */
const UDP_BYTES = 8;

export const RELAYED: readonly Relayed[] = [
  {name: 'sctp', portOffset: PORT_OFFSETS.sctp, headerBytes: IP_BYTES, hasData: carriesData},
  // encrypted: nobody on the way can tell
  {name: 'quic', portOffset: PORT_OFFSETS.quic, headerBytes: IP_BYTES + UDP_BYTES, hasData: () => true},
  {name: 'tcp', portOffset: PORT_OFFSETS.tcpInUdp, headerBytes: IP_BYTES, hasData: isTcpData},
];
