import {type ChildProcess, fork} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import type {Conversion} from '../../../app/page/conversion.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import type {Converted} from './picture.ts';

/** The message that asks the process to convert a picture. */
export interface ConversionRequest {
  readonly bytes: Uint8Array;
  readonly conversion: Conversion;
}

export interface ConversionAnswer {
  /** The converted picture. Undefined if `convertedPicture` returned undefined. */
  readonly made: Converted | undefined;
}

/** Thrown if a picture could not be converted, although it may be valid. The message says why. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/**
 * Converts pictures in a separate process, which starts at the first call of `convert`. After an error, the next call
 * starts another process. Call `convert` again only after the previous call has ended.
 */
export class ConverterProcess {
  readonly #module: URL;
  readonly #longestMs: number;
  #child: ChildProcess | undefined;

  /** `module` is the code that the process runs. `longestMs` is the longest time that one picture may take. */
  constructor(module: URL, longestMs = GATEWAY_LIMITS.convertMs) {
    this.#module = module;
    this.#longestMs = longestMs;
  }

  /**
   * Converts a picture as `convertedPicture` does. @throws ConversionError if the process cannot start, ends before it
   * answers, or takes too long
   */
  async convert(bytes: Uint8Array, conversion: Conversion): Promise<Converted | undefined> {
    this.#child ??= fork(fileURLToPath(this.#module), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const child = this.#child;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Converted | undefined>((resolve, reject) => {
        const fail = (why: string): void => reject(new ConversionError(why));
        timer = setTimeout(() => fail(`it takes more than ${this.#longestMs / 1000} s`), this.#longestMs);
        child.once('message', answer => resolve((answer as ConversionAnswer).made));
        child.once('error', error => fail(error.message));
        child.once('exit', () => fail('the process that converts pictures ended: it may have used too much memory'));
        // a process that could not start has neither a channel nor an id
        if (child.pid) child.send({bytes, conversion} satisfies ConversionRequest);
      });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      child.removeAllListeners('message').removeAllListeners('exit').removeAllListeners('error');
      child.on('error', () => {});
    }
  }

  close(): void {
    // A process that could not start has no id, or the id 0. A signal to 0 would go to this program's own process
    // group.
    if (this.#child?.pid) this.#child.kill('SIGKILL');
    this.#child = undefined;
  }
}

/** Largest JavaScript heap of the process, in MB, as in the gateway's process. Pixels are not on this heap. */
const HEAP_MB = 512;
