import {execFileSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * A certificate authority that exists for one validation only, and a server's certificate from it. `authority`,
 * `certificate` and `key` are paths of PEM files.
 */
export interface Certificates {
  /** The authority's certificate, which the browsers' profiles trust. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** SHA-256 of the server's public key in base64, as Chromium's `--ignore-certificate-errors-spki-list` wants it. */
  readonly keyHash: string;
}

/**
 * Makes all of {@link Certificates} with openssl, in `folder`. The server's certificate (EC P-256) is valid for
 * `hosts`.
 */
export function makeCertificates(folder: string, hosts: readonly string[]): Certificates {
  const at = (name: string): string => join(folder, name);
  const openssl = (...parts: readonly (readonly string[])[]): Buffer =>
    execFileSync('openssl', parts.flat(), {stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 20});
  const newKey = (key: string): readonly string[] => [
    ...'-newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' '),
    '-nodes',
    '-keyout',
    key,
  ];
  const names = hosts.map(host => `DNS:${host}`).join();
  writeFileSync(at('extensions'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
  const ours = ['-subj', '/CN=Interleave validation', '-addext', 'basicConstraints=critical,CA:TRUE'];
  openssl(['req', '-x509', '-days', '30', '-out', at('authority.pem')], newKey(at('authority.key')), ours);
  openssl(['req', '-out', at('request.pem'), '-subj', `/CN=${hosts[0]}`], newKey(at('key.pem')));
  openssl(
    ['x509', '-req', '-days', '30', '-in', at('request.pem'), '-out', at('certificate.pem')],
    ['-extfile', at('extensions'), '-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-CAcreateserial'],
  );
  rmSync(at('authority.key'));
  const publicKey = openssl(['x509', '-in', at('certificate.pem'), '-pubkey', '-noout']);
  const der = execFileSync('openssl', ['pkey', '-pubin', '-outform', 'der'], {input: publicKey});
  const keyHash = execFileSync('openssl', ['dgst', '-sha256', '-binary'], {input: der}).toString('base64');
  return {authority: at('authority.pem'), certificate: at('certificate.pem'), key: at('key.pem'), keyHash};
}

/**
 * Makes a database of certificates (NSS) in `folder`, which trusts the authority. Chromium and Firefox read such
 * databases.
 */
export function trustAuthority(folder: string, {authority}: Certificates): void {
  const certutil = (...args: readonly string[]): Buffer => execFileSync('certutil', ['-d', `sql:${folder}`, ...args]);
  certutil('-N', '--empty-password');
  certutil('-A', '-n', 'Interleave validation', '-t', 'C,,', '-i', authority);
}
