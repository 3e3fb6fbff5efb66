import {AIMS, type Aim} from '../../app/study/advice/aims.ts';
import {UsageError} from './usageError.ts';

/** The aims of `--aim A,B`, in the order in which they are told; all without it. @throws UsageError */
export function aimsOf(text: string | undefined): readonly Aim[] {
  if (text === undefined) return AIMS;
  const names = text.split(',').map(name => name.trim());
  const stray = names.find(name => AIMS.every(each => each.name !== name));
  if (stray !== undefined) {
    throw new UsageError(`--aim is ${stray}: must be of ${AIMS.map(({name}) => name).join(', ')}`);
  }
  return AIMS.filter(({name}) => names.includes(name));
}
