import { describe, expect, test } from '@jest/globals';
import { addressesIn, certificatesIn, includesAddress, userOfCertificate } from '#console/server/peers.js';
import { selfSignedCertificate } from '../../../support/certificate.js';

describe('trusted addresses', () => {
  const list = addressesIn(['10.1.0.0/16', '192.0.2.7', 'fd00::/8']);

  test.each<[string | undefined, boolean]>([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['10.2.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd12::1', true],
    ['fe80::1', false],
    ['10.1.2.3, 1.1.1.1', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (address, expected) => expect(includesAddress(list, address)).toBe(expected));

  test('are nobody’s without any', () => expect(includesAddress(addressesIn([]), '127.0.0.1')).toBe(false));

  test.each(['10.0.0.0/33', '10.0.0', 'x', '', '::1/129', '10.0.0.0/8/8', '10.0.0.0/'])('%j is none', (text) => {
    expect(() => addressesIn([text])).toThrow(RangeError);
  });
});

test('a certificate names a user and groups, as for Kubernetes', () => {
  const [certificate] = certificatesIn(`text before\n${selfSignedCertificate('Ève', 'dev').cert}`);
  expect(certificate === undefined ? undefined : userOfCertificate(certificate)).toEqual({
    username: 'Ève',
    groups: ['dev'],
  });
  expect(certificatesIn('no certificate')).toEqual([]);
});
