import type {TimelineName} from '../../../app/telling/movie/options.ts';
import type {View} from './model.ts';
import {VIEWS} from './views/list.ts';

/**
 * Returns the view with this name. This function has a file of its own, so that tests can replace the list of views.
 * @throws RangeError if no view has that name
 */
export function viewOf(name: TimelineName): View {
  const view = VIEWS.find(each => each.name === name);
  if (view === undefined) throw new RangeError(`no timeline is called ${name}`);
  return view;
}
