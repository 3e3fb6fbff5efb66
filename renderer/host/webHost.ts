import {decode} from '@msgpack/msgpack';
import {CALLS, type Host, type HostEvents} from '../../app/ipc/contract.ts';

type Listener = (value: never) => void;

/** The host behind the web shell's WebSocket. Rejects if it cannot be reached. */
export function connectWebHost(address: string): Promise<Host> {
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(hostOver(socket));
    socket.onerror = () => reject(new Error('the program behind this window is gone: start it again'));
  });
}

function hostOver(socket: WebSocket): Host {
  const calls = new Map<number, {resolve: (value: unknown) => void; reject: (error: Error) => void}>();
  const listeners = new Map<string, Set<Listener>>();
  let nextId = 0;
  socket.onmessage = ({data}) => {
    const [id, error, value] = decode(new Uint8Array(data as ArrayBuffer)) as [
      number | null,
      string | null,
      never,
    ];
    if (id === null) {
      for (const listener of listeners.get(error ?? '') ?? []) listener(value);
      return;
    }
    const call = calls.get(id);
    calls.delete(id);
    if (error === null) call?.resolve(value);
    else call?.reject(new Error(error));
  };
  socket.onclose = () => {
    for (const {reject} of calls.values()) reject(new Error('the program behind this window has ended'));
    calls.clear();
    const gone: HostEvents['engine'] = {
      state: 'failed',
      message: 'The program behind this window has ended: start it again.',
    };
    for (const listener of listeners.get('engine') ?? []) (listener as (value: unknown) => void)(gone);
  };
  const call =
    (name: string) =>
    (...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        calls.set(id, {resolve, reject});
        socket.send(JSON.stringify([id, name, args]));
      });
  const on = (event: string, listener: Listener): (() => void) => {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(listener));
    return () => all.delete(listener);
  };
  return {...Object.fromEntries(CALLS.map(name => [name, call(name)])), on} as unknown as Host;
}
