// This file ends the process if Node is too old. Most scripts import it first, because later imports may need features
// that an old Node does not have.
import {readFileSync} from 'node:fs';

const {engines} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
if (isOlder(process.versions.node, needed)) {
  console.error(
    `interleave: Node ${process.versions.node} is too old: install ${needed} or later (https://nodejs.org)`,
  );
  process.exit(1);
}

/**
 * Whether a version is older than another version. Only the parts that both versions have are compared. For example,
 * only the first part of 20.19 is compared with 20.
 *
 * @param {string} version
 * @param {string} than
 */
export function isOlder(version, than) {
  const others = than.split('.').map(Number);
  const numbers = version.split('.').map(Number);
  const first = numbers.findIndex((number, place) => place < others.length && number !== others[place]);
  return first >= 0 && /** @type {number} */ (numbers[first]) < /** @type {number} */ (others[first]);
}
