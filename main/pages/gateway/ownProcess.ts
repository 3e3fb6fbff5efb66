import {fork} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {FetchError} from '../base/pageErrors.ts';

/** A process of this program that runs one module and answers messages. */
export interface OwnProcess {
  send(message: unknown): void;
  /** Ends the process immediately. Does nothing if it has ended, or could not start. */
  kill(): void;
}

export interface ProcessListener {
  readonly onMessage: (message: unknown) => void;
  /** The process could not start, or a message could not be sent to it. */
  readonly onError: (error: Error) => void;
  readonly onEnd: () => void;
}

/** Starts a process that runs `module`, with at most `heapMb` MB of JavaScript heap. */
export type StartProcess = (module: URL, heapMb: number, listener: ProcessListener) => OwnProcess;

/** Starts a process of Node. */
export const startNodeProcess: StartProcess = (module, heapMb, {onMessage, onError, onEnd}) => {
  const child = fork(fileURLToPath(module), {
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', onMessage);
  child.on('error', error =>
    onError(child.pid ? error : new FetchError(`the gateway’s process cannot start: ${error.message}`)),
  );
  child.on('exit', onEnd);
  return {
    // without a process there is no channel to it
    send: message => {
      if (child.pid) child.send(message as object);
    },
    // A process that could not start (EMFILE) has no pid, or the pid 0. A signal to 0 would go to our process group.
    kill: () => {
      if (child.pid) child.kill('SIGKILL');
    },
  };
};
