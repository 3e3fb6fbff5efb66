import {showName} from '../../../app/base/text.ts';
import {isAddress} from '../../../app/run/scenario/pageSource.ts';
import {FileError} from '../../files/fileError.ts';
import {SCTP_UDP_PORT} from '../../live/base/sctpInUdp.ts';
import {GATEWAY_LIMITS} from '../../pages/base/gatewayLimits.ts';
import {FetchError} from '../../pages/base/pageErrors.ts';
import type {Trust} from '../../pages/base/trust.ts';
import {fetchByChosen, privateHint} from '../../pages/gateway/chosenGateway.ts';
import type {RemoteGateway} from '../../pages/gateway/remoteGateway.ts';
import type {Bundle, BundleDocument} from '../../pages/store/bundle.ts';
import {checkFree, writeBundle} from '../../pages/store/bundleFolder.ts';
import {GATEWAY} from '../bundled.ts';
import {command} from '../command.ts';
import {untilInterrupted} from '../interruption.ts';
import {remoteOf} from '../options/gateway.ts';
import {type Format, folderOf, formatOf} from '../options/output.ts';
import {ACCESS_OPTIONS, trustOf} from '../options/trust.ts';
import {UsageError} from '../options/usageError.ts';
import {json} from '../output.ts';
import {withProgress} from '../progress.ts';

interface FetchSettings {
  readonly address: string;
  /** The folder to write the page to. */
  readonly out: string;
  readonly isProgressive: boolean;
  readonly isPrivateAllowed: boolean;
  readonly usesBrowser?: boolean;
  readonly trust?: Trust | undefined;
  /** The gateway on another machine that fetches the page. If undefined, this machine fetches the page. */
  readonly gateway: RemoteGateway | undefined;
  readonly format: Format;
}

export const fetch = command({
  name: 'fetch',
  group: 'Use real pages and real networks',
  summary: 'Fetch a page of the web into a folder, so that it can be loaded',
  usage: ['URL --out FOLDER [options]'],
  hasOperands: true,
  options: {
    out: {type: 'string', short: 'o', value: 'FOLDER', help: 'The folder to write; it must be new or empty.'},
    'with-browser': {
      type: 'boolean',
      help:
        'Loads the page once in an installed Chromium, with its scripts running, and saves what the browser requested, ' +
        'what caused each request, and what scripts inserted. All requests of the browser pass the same checks and ' +
        'limits.',
    },
    progressive: {
      type: 'boolean',
      help:
        'Converts pictures so that they can be shown before they are complete, as N07 (Natarajan et al.) proposes: ' +
        'JPEG to progressive JPEG of the same quality, and PNG to interlaced PNG with the same pixels. A picture ' +
        'that would become larger stays unchanged. WebP and AVIF stay unchanged, too: WebP has no progressive form, ' +
        'and Interleave does not make AVIF layers.',
    },
    ...ACCESS_OPTIONS,
    gateway: {
      type: 'string',
      value: 'http://HOST:PORT',
      help:
        'Fetches the page with the gateway at this address, which runs on another machine (interleave help gateway). ' +
        'INTERLEAVE_GATEWAY may hold the address instead.',
    },
    token: {
      type: 'string',
      value: 'T',
      help:
        'The token of that gateway, at least 16 characters. INTERLEAVE_GATEWAY_TOKEN may hold it instead: ' +
        'other users of the machine can see options, but not environment variables.',
    },
    json: {type: 'boolean', help: 'Prints the content of bundle.json.'},
  },
  details: `
The command fetches the HTML, and the style sheets, fonts and pictures that the HTML and these style sheets name.
Nothing else is fetched: no script runs, and frames, videos and plug-ins are left out. Because no script runs, the
content of noscript elements is used, and pictures with lazy loading are fetched like all others.

With --with-browser, an installed Chromium loads the page in a process of its own, with a new profile, in its sandbox,
and with its scripts running. The browser reaches no network: the gateway answers all its requests, within the limits
below. WebSockets, WebRTC, downloads, other windows and service workers fail. The saved page has what the browser
requested in a window of 1024 × 768 pixels until nothing was requested for a second. files/recording.json says what
caused each request, how long scripts, style and layout took between the cause and the request, with which priority the
browser made the request, and what scripts inserted into the document.

In the saved page, addresses are replaced by names of files in the folder, and texts are converted to UTF-8. bundle.json
has the address, type, size and hash of every object, and says what was left out and why.

If a picture has several sources (srcset, picture), the command chooses the first source that has no media condition,
and that states no type or a type that browsers show. Of the candidates of this source it chooses the one for one pixel
per CSS pixel, or else the narrowest one that is at least as wide as the width attribute (1024 if there is no such
attribute).

The limits are ${GATEWAY_LIMITS.objects} objects, ${GATEWAY_LIMITS.objectBytes / 1e6} MB each, ${GATEWAY_LIMITS.pageBytes / 1e6} MB in all,
${GATEWAY_LIMITS.redirects} redirects, ${GATEWAY_LIMITS.pageMs / 1000} s, and ${GATEWAY_LIMITS.memoryBytes / 1e6} MB of memory. Unless --allow-private
is given, every address must be public. This includes the targets of redirects, and addresses that DNS returns later.

sctp://HOST[:PORT]/PATH means HTTP over the streams of an SCTP association in UDP. Such a page comes from interleave
serve (without a token), or from the far end of a shim. The default port is ${SCTP_UDP_PORT}.
`,
  examples: [
    {does: 'Fetch a page', line: 'interleave fetch https://example.org/ --out example'},
    {does: 'Load that page on a slow path', line: 'interleave run --set page=./example --set path.rttMs=600'},
  ],
  read({values, operands}): FetchSettings {
    const [address, other] = operands;
    if (address === undefined) throw new UsageError('the address is missing: interleave fetch URL --out FOLDER');
    if (!isAddress(address)) throw new UsageError(`${showName(address)}: must be an http, https or sctp address`);
    if (other !== undefined) throw new UsageError(`a page has one address: ${address} and ${other} are two`);
    const gateway = remoteOf(values);
    const usesBrowser = values['with-browser'] ?? false;
    if (usesBrowser && gateway !== undefined) {
      throw new UsageError(
        '--with-browser uses a browser of this machine, so --gateway and INTERLEAVE_GATEWAY exclude it',
      );
    }
    return {
      address,
      usesBrowser,
      out: folderOf(values, 'FOLDER'),
      isProgressive: values.progressive ?? false,
      isPrivateAllowed: values['allow-private'] ?? false,
      trust: trustOf(values),
      gateway,
      format: formatOf(values),
    };
  },
  run: (settings, {write}) =>
    untilInterrupted(async signal => {
      await write(await fetchPage(settings, GATEWAY, signal));
      return 0;
    }),
});

/**
 * Fetches a page into a folder.
 * @param module the module of the gateway's process
 * @returns what the command prints
 * @throws FetchError if the page cannot be fetched
 * @throws FileError if the folder cannot be written
 */
export async function fetchPage(settings: FetchSettings, module: URL, signal: AbortSignal): Promise<string> {
  const {address, out, format} = settings;
  await checkFree(out).catch(error => {
    throw new FileError(out, error);
  });
  const bundle = await fetched(settings, module, signal);
  await writeBundle(out, bundle, signal);
  return format === 'json' ? json(bundle.document) : bundleTable(address, out, bundle.document);
}

async function fetched(settings: FetchSettings, module: URL, signal: AbortSignal): Promise<Bundle> {
  const {gateway, address} = settings;
  try {
    return await withProgress('objects', onProgress => fetchByChosen(settings, {gateway, module, signal, onProgress}));
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const hint = error.isPrivate ? ` ${privateHint(gateway)}` : '';
    throw new FetchError(`${showName(address)} cannot be fetched: ${error.message}${hint}`);
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
