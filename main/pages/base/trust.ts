import {X509Certificate} from 'node:crypto';
import {rootCertificates} from 'node:tls';

/** Which HTTPS servers are trusted. */
export interface Trust {
  /** Certificates in PEM that are trusted in addition to the authorities that Node contains. */
  readonly ca?: string;
  /** Whether every certificate is accepted. In that case anybody on the path can pose as the server. */
  readonly isInsecure?: boolean;
}

/**
 * Makes the options for `tls.connect`. The option `ca` of `tls.connect` replaces the authorities that Node contains. So
 * if `ca` is given, the result lists these authorities and `ca`.
 */
export function tlsTrust({ca, isInsecure = false}: Trust = {}): {
  readonly ca?: string[];
  readonly rejectUnauthorized: boolean;
} {
  return {...(ca === undefined ? {} : {ca: [...rootCertificates, ca]}), rejectUnauthorized: !isInsecure};
}

/** Whether a text contains certificates in PEM, and all of them can be parsed. An expired certificate is accepted. */
export function areCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate);
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

/** Says why a certificate is not trusted, from an error code of Node or OpenSSL. Returns undefined for other codes. */
export function distrustOf(code: string): string | undefined {
  const hint = (more = '') => `(on the command line, ${more}--insecure accepts any certificate)`;
  if (UNKNOWN_ISSUER.has(code))
    return `this program does not trust the issuer of its certificate ${hint('--ca FILE names a certificate to trust, ')}`;
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired ${hint()}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another host ${hint()}`;
  return undefined;
}

const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
