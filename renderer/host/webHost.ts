import {CALLS, type Host, type HostEvents} from '../../app/host/contract.ts';
import {decodeMessage, type MessageLimits} from '../../app/host/messagePack.ts';
import {offeredProtocols} from '../../app/host/webKey.ts';

type Listener = (value: never) => void;

/** The answer to a call, or, if `id` is null, an event. For an event, `error` is the event's name. */
type Message = [id: number | null, error: string | null, value: never];

/** Connects to the host through the web shell's WebSocket. Rejects if the host cannot be reached or refuses the key. */
export function connectWebHost(address: string, key: string): Promise<Host> {
  const socket = new WebSocket(address, [...offeredProtocols(key)]);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(hostOver(socket));
    socket.onerror = () => reject(new Error('the program behind this window cannot be reached: start it again'));
  });
}

function hostOver(socket: WebSocket): Host {
  const calls = new Map<number, {resolve: (value: unknown) => void; reject: (error: Error) => void}>();
  const listeners = new Map<string, Set<Listener>>();
  let nextId = 0;
  let isGone = false;
  socket.onmessage = ({data}) => {
    const [id, error, value] = decodeMessage(new Uint8Array(data as ArrayBuffer), LIMITS) as Message;
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
    isGone = true;
    for (const {reject} of calls.values()) reject(new Error(PROGRAM_ENDED));
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
        // sending to a closed socket fails without an error
        if (isGone) throw new Error(PROGRAM_ENDED);
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

const PROGRAM_ENDED = 'the program behind this window has ended';

/** Limits on a message from the host. Even the run of the largest page stays far below them. */
const LIMITS: MessageLimits = {
  // the program's MessagePack encoder nests values at most this deep
  depth: 100,
  values: 20_000_000,
  arrayLength: 5_000_000,
  mapLength: 1_000_000,
  textBytes: 500_000_000,
  binaryBytes: 2 ** 31,
};
