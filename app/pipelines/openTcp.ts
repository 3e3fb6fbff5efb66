import type {Connection, TcpEndOptions, TcpTransports} from '../http/transports.ts';

/** One more connection on that network's path. */
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
