import type {Connection, TcpEndOptions, TcpTransports} from '../http/transports.ts';

/** Opens a connection on the network's path. */
export function openTcp(
  network: TcpTransports,
  profile: TcpEndOptions['profile'],
  server: Omit<TcpEndOptions, 'profile'>,
): Connection {
  return network.openTcp({
    client: {profile, receiveBufferBytes: LARGEST_BUFFER_BYTES},
    server: {profile, ...server},
  });
}

/** Larger than any page that a scenario allows. */
const LARGEST_BUFFER_BYTES = 2 ** 28;
