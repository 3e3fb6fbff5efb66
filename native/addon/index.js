// index.node is built from this folder's Rust crate by `npm start`, `npm test` and `npm run bench`.
import {createRequire} from 'node:module';

export const {
  Association,
  Emulator,
  Listener,
  QuicConnection,
  QuicListener,
  Simulation,
  TcpConnection,
  Tunnel,
  tcpInfo,
} = createRequire(import.meta.url)('./index.node');
