import type {Json} from '../../app/base/json.ts';
import {isObject} from '../../app/base/schema.ts';
import type {Host} from '../../app/host/contract.ts';
import {debounced} from '../kit/debounced.ts';

/**
 * What the window still knows when the program is started again: values by their names. Parts of the window set their
 * own values, and the host stores all of them together.
 */
export class Remembered {
  readonly #host: Pick<Host, 'remember'>;
  #values: {readonly [name: string]: Json} = {};
  #isFirstUse = true;
  readonly #storeSoon = debounced(() => void this.#store(), DELAY_MS);

  constructor(host: Pick<Host, 'remember'>) {
    this.#host = host;
  }

  /** Whether nothing was stored when the window was opened, and nothing has been set since. */
  get isFirstUse(): boolean {
    return this.#isFirstUse;
  }

  /** Takes over what the host has stored. Values that were set before stay. */
  fill(stored: Json | undefined): void {
    if (stored === null || stored === undefined) return;
    this.#isFirstUse = false;
    if (isObject(stored)) this.#values = {...(stored as {readonly [name: string]: Json}), ...this.#values};
  }

  get(name: string): Json | undefined {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Sets a value. The host stores it a little later, together with other values. */
  set(name: string, value: Json): void {
    this.#isFirstUse = false;
    this.#values = {...this.#values, [name]: value};
    this.#storeSoon();
  }

  async #store(): Promise<void> {
    try {
      await this.#host.remember(this.#values);
    } catch {
      // the host cannot store it, so the next window does not remember it
    }
  }
}

/** Values are stored when none has been set for this time, ms. A drag changes the scenario many times a second. */
const DELAY_MS = 300;
