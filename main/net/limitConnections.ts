import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {type Placed, Places} from './clientPlaces.ts';

/**
 * Limits the number of open connections of an HTTP server. When the limit is reached, a new connection is refused or
 * replaces another connection ({@link Places}).
 */
export function limitConnections(server: Server, most: number): void {
  const places = new Places<Connection>(most);
  const connections = new WeakMap<object, Connection>();
  server.on('connection', socket => {
    const address = socket.remoteAddress ?? '';
    if (!places.makeRoom(address)) return void socket.destroy();
    const connection = new Connection(socket);
    places.add(connection, address);
    connections.set(socket, connection);
    socket.once('close', () => places.delete(connection));
  });
  const begin = ({socket}: IncomingMessage): Connection | undefined => {
    const connection = connections.get(socket);
    if (connection === undefined) return undefined;
    connection.requests += 1;
    places.touch(connection);
    return connection;
  };
  const answered = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = begin(request);
    response.once('close', () => {
      if (connection !== undefined) connection.requests -= 1;
    });
  };
  server.on('request', answered);
  // The connection of an upgrade or a tunnel is never idle again. If the server has no listener for these events, Node
  // handles an upgrade as an ordinary request, and closes the connection of a CONNECT request. A listener here would
  // prevent that, so it is added only if the server has another listener.
  for (const event of ['upgrade', 'connect'] as const)
    if (server.listenerCount(event) > 0) server.on(event, (request: IncomingMessage, _: Duplex) => void begin(request));
  if (server.listenerCount('checkContinue') > 0) server.on('checkContinue', answered);
}

class Connection implements Placed {
  readonly #socket: Socket;
  requests = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isIdle(): boolean {
    return this.requests === 0;
  }

  giveUp(): void {
    this.#socket.destroy();
  }
}
