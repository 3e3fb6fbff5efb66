import type {TimelineName} from '../../../app/telling/movie/options.ts';
import type {View} from './model.ts';
import {VIEWS} from './views/list.ts';

/**
 * The view with a name. It has its own file, so that tests can replace the list of views.
 * @throws RangeError if no view has that name
 */
export function viewOf(name: TimelineName): View {
  const view = VIEWS.find(each => each.name === name);
  if (view === undefined) throw new RangeError(`no timeline is called ${name}`);
  return view;
}
