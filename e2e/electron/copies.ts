import {parentPort} from 'node:worker_threads';

// For the smoke build only: Electron 9 dies of a buffer that a thread hands over, so it is copied.
if (parentPort !== null) {
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = value => post(value);
}
