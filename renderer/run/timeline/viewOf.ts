import type {TimelineName} from '../../../app/telling/movie/options.ts';
import type {View} from './model.ts';
import {VIEWS} from './views/list.ts';

/**
 * The view of a name. It stands apart from the list, so that a test can put another list in its place.
 * @throws RangeError if no view has that name.
 */
export function viewOf(name: TimelineName): View {
  const view = VIEWS.find(each => each.name === name);
  if (view === undefined) throw new RangeError(`no timeline is called ${name}`);
  return view;
}
