import type {StoreApi} from 'zustand/vanilla';
import {check, fail, integer, object, oneOf, orNull, type Parser, required} from '../../../app/base/schema.ts';
import {ALL_METRICS} from '../../../app/study/experiment/metricList.ts';
import {CAUSES, type ExperimentChoice} from './choice.ts';

/** Reads the choice that was stored before a reload of the window's page (F5). Null if there is no valid choice. */
export function readKeptChoice(storage: Pick<Storage, 'getItem'>): ExperimentChoice | null {
  try {
    const checked = check(choice, JSON.parse(storage.getItem(KEY) ?? 'null'));
    return checked.ok ? checked.value : null;
  } catch {
    return null;
  }
}

/** Stores the choice whenever it changes. */
export function storeChoiceForReload(store: StoreApi<ExperimentChoice>, storage: Pick<Storage, 'setItem'>): void {
  store.subscribe(now => {
    try {
      storage.setItem(KEY, JSON.stringify(now));
    } catch {
      // the browser's storage is full or cannot be used, so the choice is not stored
    }
  });
}

const text: Parser<string> = (value, path, problems) =>
  typeof value === 'string' ? value : fail(problems, path, value, 'a text');
const flag: Parser<boolean> = (value, path, problems) =>
  typeof value === 'boolean' ? value : fail(problems, path, value, 'true or false');
const axis = object('an axis', {key: required(text), isTyped: required(flag), text: required(text)});

const choice = object('a choice', {
  x: required(axis),
  panels: required(orNull(axis)),
  seeds: required(integer(1, 100_000)),
  metric: required(orNull(oneOf([...ALL_METRICS.map(({name}) => name), CAUSES]))),
  kind: required(oneOf(['means', 'spread'] as const)),
});

const KEY = 'interleave-experiment';
