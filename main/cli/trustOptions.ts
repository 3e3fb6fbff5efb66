import {areCertificates, type Trust} from '../pages/base/trust.ts';
import {bytesOf} from './namedFile.ts';
import {UsageError} from './usageError.ts';

/** Of every command that fetches. */
export const TRUST_OPTIONS = {ca: {type: 'string'}, insecure: {type: 'boolean'}} as const;

/** Undefined where the system's authorities decide. @throws UsageError */
export function trustOf({
  ca,
  insecure,
}: {
  readonly ca?: string | undefined;
  readonly insecure?: boolean | undefined;
}): Trust | undefined {
  if (ca !== undefined && insecure)
    throw new UsageError('--ca and --insecure exclude each other: one names whom to trust, the other trusts all');
  if (insecure) return {isInsecure: true};
  if (ca === undefined) return undefined;
  const pem = Buffer.from(bytesOf(ca, why => `--ca is ${ca}: no file that can be read${why}`)).toString();
  if (!areCertificates(pem)) throw new UsageError(`--ca is ${ca}: must be certificates in PEM`);
  return {ca: pem};
}
