import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {MODERN_CERTIFICATE_BYTES} from '../../app/http/tls/tlsHandshake.ts';
import {makeCertificates} from './certificate.ts';

test('the certificates of the real servers are valid, and as large as those of computed loads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-certificates-'));
  try {
    const {authority, certificate, key} = makeCertificates(folder, ['page.example', 'pictures.example']);
    const chain = readFileSync(certificate, 'utf8').match(/-----BEGIN.+?-----END CERTIFICATE-----/gs) ?? [];
    expect(chain).toHaveLength(2);
    // The message Certificate has a type and a length (4 bytes), a context and a length (4), and for each certificate a
    // length (3) and the length of its extensions (2) (RFC 8446 §4.4.2).
    const sizes = chain.map(pem => execFileSync('openssl', ['x509', '-outform', 'der'], {input: pem}).length);
    const messageBytes = 8 + sizes.reduce((sum, size) => sum + 5 + size, 0);
    expect(Math.abs(messageBytes - MODERN_CERTIFICATE_BYTES)).toBeLessThanOrEqual(12);
    const verify = ['verify', '-purpose', 'sslserver', '-verify_hostname', 'pictures.example'];
    const verified = execFileSync('openssl', [...verify, '-CAfile', authority, '-untrusted', certificate, certificate]);
    expect(String(verified)).toContain('OK');
    const publicKeys = [
      execFileSync('openssl', ['x509', '-in', certificate, '-pubkey', '-noout']),
      execFileSync('openssl', ['pkey', '-in', key, '-pubout']),
    ].map(String);
    expect(publicKeys[0]).toBe(publicKeys[1]);
  } finally {
    rmSync(folder, {recursive: true});
  }
});
