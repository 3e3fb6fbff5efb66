import {randomInt} from 'node:crypto';
import {isIPv6} from 'node:net';
import type {TcpEndOptions} from '../../../app/http/transports.ts';
import {TcpConnection} from '../../../native/addon/index.js';
import {encapsulatedMtuBytes, OWN_PORTS} from '../../net/encapsulation.ts';
import {PORT_OFFSETS} from '../../net/ports.ts';
import {tcpPortOf} from '../../net/tcpInUdp.ts';
import {UdpClient, type UdpClientOptions} from './udpClient.ts';

export interface TcpInUdpClientOptions extends UdpClientOptions {
  readonly tcp: TcpEndOptions;
}

/**
 * The client's end of one connection of our TCP in UDP. `port` is the live server's first. After calling its methods,
 * call {@link UdpClient.go}.
 */
export class TcpInUdpClient extends UdpClient<TcpConnection> {
  constructor(options: TcpInUdpClientOptions) {
    const {host, tcp, port} = options;
    const mtuBytes = encapsulatedMtuBytes(isIPv6(host) ? 'IPv6' : 'IPv4');
    const ports = {port: randomInt(...OWN_PORTS), peerPort: tcpPortOf(tcp.profile)};
    const own = {role: 'client', seed: randomInt(2 ** 48 - 1), record: {packets: true, samples: true}};
    const connection = new TcpConnection(JSON.stringify({tcp, mtuBytes, ...ports, ...own}));
    super(connection, {...options, port: port + PORT_OFFSETS.tcpInUdp});
  }

  /** Returns how many bytes were taken. */
  write(bytes: Uint8Array): number {
    return this.end.write(bytes);
  }

  read(): Uint8Array {
    return this.end.read();
  }
}
