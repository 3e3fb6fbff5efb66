import {X509Certificate} from 'node:crypto';
import {rootCertificates} from 'node:tls';

/** Which HTTPS servers are trusted. */
export interface Trust {
  /** Certificates in PEM that are trusted in addition to the system's authorities. */
  readonly ca?: string;
  /** Whether any certificate is accepted, so that anybody on the way can pose as the server. */
  readonly isInsecure?: boolean;
}

/** Options for `tls.connect`. There `ca` replaces the system's authorities, so they are added. */
export function tlsTrust({ca, isInsecure = false}: Trust = {}): {
  readonly ca?: string[];
  readonly rejectUnauthorized: boolean;
} {
  return {...(ca === undefined ? {} : {ca: [...rootCertificates, ca]}), rejectUnauthorized: !isInsecure};
}

/** Whether a text has certificates in PEM, all of them valid. */
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

/** Why a server's certificate is not trusted, by the error codes of Node and OpenSSL. Undefined for other codes. */
export function distrustOf(code: string): string | undefined {
  const hint = '(--ca FILE names a certificate to trust, --insecure accepts any)';
  if (UNKNOWN_ISSUER.has(code)) return `its certificate is signed by nobody whom this machine trusts ${hint}`;
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired (--insecure accepts any)';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another host (--insecure accepts any)';
  return undefined;
}

const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
