import {execFileSync} from 'node:child_process';
import {createHash, X509Certificate} from 'node:crypto';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {MODERN_CERTIFICATE_BYTES} from '../../app/http/tls/tlsHandshake.ts';
import {makeCertificates} from './certificate.ts';

test('the certificates of the real servers are valid, and as large as those of computed loads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-certificates-'));
  try {
    const {authority, certificate, key, keyHash} = makeCertificates(folder, ['page.example', 'pictures.example']);
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
    // the kinds of keys that Let's Encrypt uses, because the time of the handshake and its size depend on them
    const keys = [...chain, readFileSync(authority)].map(pem => new X509Certificate(pem).publicKey);
    expect(keys.map(each => each.asymmetricKeyDetails?.namedCurve ?? each.asymmetricKeyType)).toEqual([
      'prime256v1',
      'secp384r1',
      'rsa',
    ]);
    const ofServer = keys[0]?.export({type: 'spki', format: 'der'}) ?? '';
    expect(keyHash).toBe(createHash('sha256').update(ofServer).digest('base64'));
    // nobody can sign further certificates that the browsers' profiles trust
    expect(readdirSync(folder).filter(name => name.endsWith('.key'))).toEqual(['server.key']);
  } finally {
    rmSync(folder, {recursive: true});
  }
});
