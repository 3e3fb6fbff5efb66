// index.node is built from this folder's Rust crate by `npm start`, `npm test` and `npm run bench`.
import {createRequire} from 'node:module';

const addon = createRequire(import.meta.url)('./index.node');
if (addon.PATCHED !== true) {
  const problem = 'native/addon/index.node was built without the patches of native/patches';
  throw Object.assign(new Error(`${problem}: npm start or npm test builds it with them`), {
    code: 'UNPATCHED',
  });
}

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
} = addon;
