import {areCertificates, type Trust} from '../../pages/base/trust.ts';
import {bytesOf} from './namedFile.ts';
import type {Option, Options, Values} from './option.ts';
import {UsageError} from './usageError.ts';

const ALLOW_PRIVATE = {
  type: 'boolean',
  help: 'Allows addresses that are not public: private, loopback and link-local addresses.',
} as const satisfies Option;

/** Options of every command that fetches pages by https: which certificates are accepted. */
export const TRUST_OPTIONS = {
  ca: {
    type: 'string',
    value: 'FILE',
    help:
      'A file of certificates (PEM) that are accepted from https servers, besides those of the authorities that Node ' +
      'contains.',
  },
  insecure: {
    type: 'boolean',
    help: 'Accepts every certificate. Anybody between this machine and the server can then pretend to be the server.',
  },
} as const satisfies Options;

/** Options of every command that opens a page: which addresses the page may have, and which servers are trusted. */
export const ACCESS_OPTIONS = {'allow-private': ALLOW_PRIVATE, ...TRUST_OPTIONS} as const satisfies Options;

/** Returns which servers the user trusts. Undefined if the authorities that Node contains decide. @throws UsageError */
export function trustOf({ca, insecure}: Values<typeof TRUST_OPTIONS>): Trust | undefined {
  if (ca !== undefined && insecure)
    throw new UsageError(
      '--ca and --insecure exclude each other: --ca names what to trust, --insecure trusts everything',
    );
  if (insecure) return {isInsecure: true};
  if (ca === undefined) return undefined;
  const pem = Buffer.from(bytesOf(ca, why => `--ca is ${ca}: no file that can be read${why}`)).toString();
  if (!areCertificates(pem)) throw new UsageError(`--ca is ${ca}: must be certificates in PEM`);
  return {ca: pem};
}
