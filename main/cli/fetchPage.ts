import {showName} from '../../app/base/text.ts';
import {FileError} from '../files/fileError.ts';
import {FetchError} from '../pages/base/pageErrors.ts';
import {fetchByChosen, privateHint} from '../pages/gateway/chosenGateway.ts';
import type {Bundle, BundleDocument} from '../pages/store/bundle.ts';
import {checkFree, writeBundle} from '../pages/store/bundleFolder.ts';
import type {FetchCommand} from './command.ts';
import {json} from './output.ts';
import {startProgress} from './progress.ts';

/**
 * Fetches a page into a folder; gives what is printed. `module` is the gateway's process.
 * @throws FetchError if it cannot be had. @throws FileError if the folder cannot be written.
 */
export async function fetchPage(command: FetchCommand, module: URL, signal: AbortSignal): Promise<string> {
  const {address, out, format} = command;
  await checkFree(out).catch(error => {
    throw new FileError(out, error);
  });
  const bundle = await fetched(command, module, signal);
  await writeBundle(out, bundle, signal);
  return format === 'json' ? json(bundle.document) : bundleTable(address, out, bundle.document);
}

async function fetched(command: FetchCommand, module: URL, signal: AbortSignal): Promise<Bundle> {
  const progress = startProgress(process.stderr, 'objects');
  try {
    const options = {gateway: command.gateway, module, signal, onProgress: progress.show};
    return await fetchByChosen(command, options);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const hint = error.isPrivate ? ` ${privateHint(command.gateway)}` : '';
    throw new FetchError(`${showName(command.address)} cannot be had: ${error.message}${hint}`);
  } finally {
    progress.end();
  }
}

function bundleTable(address: string, out: string, document: BundleDocument): string {
  const {objects, leftOut, notLoaded} = document;
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  const rows = objects.map(({file, type, bytes, converted, address}) => {
    const from =
      converted === undefined ? '' : `  (was ${converted.from}, ${converted.fromBytes} B; ${converted.ms} ms)`;
    return `  ${String(bytes).padStart(9)} B  ${type.padEnd(24)}  ${file}${from}  ${showName(address)}\n`;
  });
  const without = [
    ...notLoaded.map(each => `  ${each}\n`),
    ...leftOut.map(each => `  ${showName(each.address)}: ${showName(each.why)}\n`),
  ];
  const left = without.length === 0 ? '' : `Left out:\n${without.join('')}`;
  return `${showName(address)}, as ${showName(out)}: ${objects.length} objects, ${bytes} B\n${rows.join('')}${left}`;
}
