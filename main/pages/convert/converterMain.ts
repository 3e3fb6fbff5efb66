import {performance} from 'node:perf_hooks';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {watchMemory} from '../base/processMemory.ts';
import type {ConversionAnswer, ConversionRequest} from './converterProcess.ts';
import {convertedPicture} from './picture.ts';

// This process converts pictures, one after the other. It is separate from the program because libvips decodes
// untrusted files. The process ends when its parent process ends, or when it uses too much memory.

process.on('message', (request: ConversionRequest) => void answer(request));
process.on('disconnect', () => process.exit());
watchMemory(GATEWAY_LIMITS.memoryBytes, () => process.exit(1));

async function answer({bytes, conversion}: ConversionRequest): Promise<void> {
  const made = await convertedPicture(bytes, conversion, () => performance.now());
  // If the parent process has ended, the answer cannot be sent. Without the callback, this error would end the process
  // with a stack trace.
  process.send?.({made} satisfies ConversionAnswer, undefined, undefined, () => undefined);
}
