import {parentPort} from 'node:worker_threads';

// Only for the smoke build, which runs in Electron 9 (build.ts). Electron 9 crashes if a thread transfers a buffer, so
// buffers are copied.
if (parentPort !== null) {
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = value => post(value);
}
