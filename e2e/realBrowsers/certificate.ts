import {execFileSync} from 'node:child_process';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * A certificate authority that exists for one validation only, and a server's certificates from it. `authority`,
 * `certificate` and `key` are paths of PEM files.
 */
export interface Certificates {
  /** The authority's certificate, which the browsers' profiles trust. */
  readonly authority: string;
  /** The server's certificate, followed by the intermediate certificate. */
  readonly certificate: string;
  readonly key: string;
  /** SHA-256 of the server's public key in base64, as Chromium's `--ignore-certificate-errors-spki-list` wants it. */
  readonly keyHash: string;
}

/**
 * The sizes of the server's certificate and of the intermediate certificate, in bytes. They are those of the chain that
 * computed loads have (`MODERN_CERTIFICATE_BYTES` in tlsHandshake.ts), as Let's Encrypt issues it.
 */
const SIZES = {server: 969, intermediate: 1114} as const;

/** An extension without a meaning. RFC 5612 reserves this number for examples. Clients ignore it. */
const FILLER = '1.3.6.1.4.1.32473.1';

/**
 * Makes all of {@link Certificates} with openssl, in `folder`. The server's certificate is valid for `hosts`. The keys
 * have the kinds that Let's Encrypt uses: RSA for the authority, P-384 for the intermediate, and P-256 for the server.
 * Real certificates also name addresses and logs, and have signed timestamps. These certificates have a filler of the
 * same size in their place, because no browser shall ask other hosts during a load.
 */
export function makeCertificates(folder: string, hosts: readonly string[]): Certificates {
  const at = (name: string): string => join(folder, name);
  const names = hosts.map(host => `DNS:${host}`).join();
  const rsa = ['-newkey', 'rsa:4096'];
  const root = ['-subj', '/CN=Interleave validation', '-addext', 'basicConstraints=critical,CA:TRUE'];
  openssl(
    ['req', '-x509', '-days', '30', '-nodes', '-out', at('authority.pem'), '-keyout', at('authority.key')],
    rsa,
    root,
  );
  issue(folder, 'intermediate', {
    issuer: 'authority',
    curve: 'secp384r1',
    subject: '/CN=Interleave intermediate',
    extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign'],
  });
  issue(folder, 'server', {
    issuer: 'intermediate',
    curve: 'prime256v1',
    subject: `/CN=${hosts[0]}`,
    extensions: [`subjectAltName=${names}`, 'extendedKeyUsage=serverAuth'],
  });
  rmSync(at('authority.key'));
  rmSync(at('intermediate.key'));
  writeFileSync(at('chain.pem'), readFileSync(at('server.pem'), 'utf8') + readFileSync(at('intermediate.pem'), 'utf8'));
  const publicKey = openssl(['x509', '-in', at('server.pem'), '-pubkey', '-noout']);
  const der = execFileSync('openssl', ['pkey', '-pubin', '-outform', 'der'], {input: publicKey});
  const keyHash = execFileSync('openssl', ['dgst', '-sha256', '-binary'], {input: der}).toString('base64');
  return {authority: at('authority.pem'), certificate: at('chain.pem'), key: at('server.key'), keyHash};
}

interface Issued {
  readonly issuer: string;
  readonly curve: string;
  readonly subject: string;
  readonly extensions: readonly string[];
}

/**
 * Makes a key and a certificate for it, `NAME.key` and `NAME.pem`, signed by `issuer`. The certificate has the size in
 * {@link SIZES}, or up to 6 bytes fewer or more, because the sizes of signatures differ.
 */
function issue(folder: string, name: keyof typeof SIZES, {issuer, curve, subject, extensions}: Issued): void {
  const at = (file: string): string => join(folder, file);
  const request = ['-nodes', '-keyout', at(`${name}.key`), '-out', at('request.pem'), '-subj', subject];
  openssl(['req', '-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`], request);
  const signedBy = ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`), '-CAcreateserial'];
  const signed = (fillerBytes: number): number => {
    writeFileSync(at('extensions'), [...extensions, `${FILLER}=DER:${'00'.repeat(fillerBytes)}\n`].join('\n'));
    const request = ['-in', at('request.pem'), '-out', at(`${name}.pem`), '-extfile', at('extensions')];
    openssl(['x509', '-req', '-days', '30'], request, signedBy);
    return openssl(['x509', '-in', at(`${name}.pem`), '-outform', 'der']).length;
  };
  const fillerBytes = 200;
  signed(fillerBytes + SIZES[name] - signed(fillerBytes));
}

function openssl(...parts: readonly (readonly string[])[]): Buffer {
  return execFileSync('openssl', parts.flat(), {stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 20});
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
