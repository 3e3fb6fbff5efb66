import {fileURLToPath} from 'node:url';
import {utilityProcess} from 'electron';
import type {StartProcess} from '../../pages/gateway/ownProcess.ts';

/**
 * Starts a utility process of Electron. `fork` of `node:child_process` cannot be used: it would run Electron as Node,
 * which the fuses of an installed program forbid (main/setup/installers/configuration.mjs). Therefore the whole program
 * would start again.
 */
export const startUtilityProcess: StartProcess = (module, heapMb, {onMessage, onError, onEnd}) => {
  const child = utilityProcess.fork(fileURLToPath(module), [], {
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'inherit'],
    serviceName: 'Interleave gateway',
  });
  child.on('message', onMessage);
  child.on('error', (type, location) => onError(new Error(`the gateway’s process failed: ${type} at ${location}`)));
  child.on('exit', onEnd);
  return {send: message => child.postMessage(message), kill: () => void child.kill()};
};
