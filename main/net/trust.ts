import {X509Certificate} from 'node:crypto';
import {rootCertificates} from 'node:tls';

/** Which servers of https are taken for what they say they are. */
export interface Trust {
  /** Certificates in PEM that count beside the system's authorities. */
  readonly ca?: string;
  /** Any certificate will do: whoever is on the way can be the server. */
  readonly isInsecure?: boolean;
}

/** As `tls.connect` takes it; `ca` there is in place of the system's. */
export function tlsTrust({ca, isInsecure = false}: Trust = {}): {
  readonly ca?: string[];
  readonly rejectUnauthorized: boolean;
} {
  return {...(ca === undefined ? {} : {ca: [...rootCertificates, ca]}), rejectUnauthorized: !isInsecure};
}

/** Whether that text has certificates, and all that stand in it are some. */
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

/** Why a server's certificate is not taken, by the codes of Node's and OpenSSL's errors. */
export function distrustOf(code: string): string | undefined {
  const hint = '(--ca FILE names one to trust, --insecure takes any)';
  if (UNKNOWN_ISSUER.has(code)) return `nobody whom this machine trusts signed its certificate ${hint}`;
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired (--insecure takes any)';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is of another host (--insecure takes any)';
  return undefined;
}

const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
