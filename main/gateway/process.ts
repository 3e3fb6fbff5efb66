import {FetchError} from './fetchError.ts';
import {Fetcher} from './fetcher.ts';
import type {GatewayRequest, ProcessMessage} from './gatewayMessage.ts';
import {gather} from './gather.ts';
import {GATEWAY_LIMITS} from './limits.ts';
import {peakMemoryBytes, watchMemory} from './memory.ts';
import {progressive} from './progressive.ts';
import {isPublic, resolveBySystem} from './reachable.ts';

// The gateway's process: fetches one page, tells it, and ends; also when whoever asked is gone.

process.once('message', (request: GatewayRequest) => void serve(request));
process.on('disconnect', () => process.exit());

async function serve({address, isProgressive, isPrivateAllowed}: GatewayRequest): Promise<void> {
  const limits = GATEWAY_LIMITS;
  watchMemory(limits.memoryBytes, () => {
    tell({
      type: 'refused',
      why: `it takes more than ${limits.memoryBytes / 1e6} MB of memory`,
      isPrivate: false,
    });
  });
  const fetcher = new Fetcher({
    ...{limits, resolve: resolveBySystem, signal: new AbortController().signal},
    mayReach: isPrivateAllowed ? () => true : isPublic,
  });
  try {
    const bundle = await gather(address, {
      ...{limits, date: new Date(), get: address => fetcher.get(address)},
      ...(isProgressive ? {convert: (bytes, type) => progressive(bytes, type, () => performance.now())} : {}),
      onProgress: (done, all) => tell({type: 'progress', done, all}),
    });
    tell({type: 'peak', bytes: peakMemoryBytes()});
    tell({type: 'bundle', bundle});
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    tell({type: 'refused', why: error.message, isPrivate: error.isPrivate});
  } finally {
    await fetcher.close();
  }
}

function tell(message: ProcessMessage): void {
  process.send?.(message);
}
