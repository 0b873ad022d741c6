import { describe, expect, test } from '@jest/globals';
import { isLinkLocal, isLoopback, isLoopbackHost, isMetadataHost } from '#lib/net/link-local.js';

describe('the host of a URL', () => {
  test.each([
    ['an address', 'http://169.254.169.254/latest'],
    ['another one of the block', 'http://169.254.0.1/'],
    ['as one number', 'http://2852039166/'],
    ['in octal and hexadecimal', 'http://0251.0xfe.169.254/'],
    ['in full-width digits', 'http://１69.254.169.254/'],
    ['in IPv6', 'http://[fe80::1]/'],
    ['mapped into IPv6', 'http://[::ffff:169.254.169.254]/'],
    ['within IPv6', 'http://[::169.254.169.254]/'],
    ['by NAT64', 'http://[64:ff9b::169.254.169.254]/'],
    ['by NAT64 with a prefix of its own', 'http://[64:ff9b:1::a9fe:a9fe]/'],
    ['by 6to4', 'http://[2002:a9fe:a9fe::]/'],
    ['of AWS in IPv6', 'http://[fd00:ec2::254]/'],
    ['of AWS for pods', 'http://[fd00:ec2::23]/'],
    ['of Google Cloud in IPv6', 'http://[fd20:ce::254]/'],
    ['of Alibaba Cloud', 'http://100.100.100.200/'],
    ['of Oracle Cloud', 'http://192.0.0.192/'],
    ['of Azure', 'http://168.63.129.16/'],
    ['a name', 'http://metadata.google.internal/computeMetadata'],
    ['a name with a dot at its end', 'http://Metadata.Google.Internal./'],
  ])('is that of metadata: %s', (_title, url) => {
    expect(isMetadataHost(new URL(url).hostname)).toBe(true);
  });

  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://169.253.1.1/',
    'http://[fd00::1]/',
    'http://169.254.169.254.example.com/',
    'https://charts.example.com/',
  ])('is any other: %s', (url) => {
    expect(isMetadataHost(new URL(url).hostname)).toBe(false);
  });
});

describe('the host of a URL', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://127.255.0.3/',
    'http://localhost/',
    'http://LocalHost./',
    'http://a.localhost/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    // These are the same machine, too.
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::ffff:0.0.0.0]/',
  ])('is loopback: %s', (url) => expect(isLoopbackHost(new URL(url).hostname)).toBe(true));

  test.each([
    'http://10.0.0.1/',
    'http://[::2]/',
    'http://[fd00::1]/',
    'http://localhost.example/',
    'http://128.0.0.1/',
  ])('is no loopback: %s', (url) => expect(isLoopbackHost(new URL(url).hostname)).toBe(false));

  test('is no address where it is a name', () => expect(isLoopback('localhost')).toBe(false));
});

test('an address may name its interface', () => {
  expect(isLinkLocal('fe80::1%eth0')).toBe(true);
  expect(isLinkLocal('not an address')).toBe(false);
});
