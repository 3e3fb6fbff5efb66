// Loads the addon. `npm start`, `npm test` and `npm run bench` build index.node from the Rust crate in this folder.
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
