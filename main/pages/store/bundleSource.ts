import {type BundleSource, LONGEST_PAGE_NAME} from '../../../app/run/scenario/pageSource.ts';
import type {BundleDocument} from './bundle.ts';

/** How a scenario names a stored bundle. A bundle without an address is called by its hash. */
export function bundleSource(bundle: string, {address}: Pick<BundleDocument, 'address'>): BundleSource {
  return {bundle, name: address.slice(0, LONGEST_PAGE_NAME) || bundle};
}
