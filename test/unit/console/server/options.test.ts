import { describe, expect, test } from '@jest/globals';
import { CONSOLE_OPTIONS, parseConsoleOptions } from '#console/server/options.js';

describe('the flags of the console server', () => {
  test('have values without any of them', () => {
    expect(parseConsoleOptions({})).toEqual({
      ...{ kubeconfig: undefined, context: undefined, namespace: undefined },
      ...{ addr: { host: '127.0.0.1', port: 8090 }, healthAddr: { host: '127.0.0.1', port: 8091 } },
      ...{ tlsCertFile: undefined, tlsKeyFile: undefined, clientCaFile: undefined, proxyCaFile: undefined },
      ...{ proxyNames: [], proxyAddresses: [], clusterName: 'host', requestsPerMinute: 1200, logLevel: 'info' },
      publicUrls: [],
      ...{ oneTimeLogin: false, helmPath: 'helm' },
      ...{ oidcIssuerUrl: undefined, oidcClientId: undefined, oidcUsernameClaim: 'sub', oidcUsernamePrefix: undefined },
      ...{ oidcGroupsClaim: undefined, oidcGroupsPrefix: '', oidcRequiredClaims: new Map(), oidcCaFile: undefined },
      oidcSigningAlgorithms: ['RS256'],
    });
    expect(CONSOLE_OPTIONS).toHaveLength(26);
  });

  test('are lists where there may be several', () => {
    const files = { tlsCertFile: 'a', tlsKeyFile: 'b', proxyCaFile: 'c' };
    const raw = { ...files, proxyAddresses: '10.0.0.0/8,::1,192.0.2.7', proxyNames: 'front,back' };
    expect(parseConsoleOptions(raw)).toMatchObject({
      proxyAddresses: ['10.0.0.0/8', '::1', '192.0.2.7'],
      proxyNames: ['front', 'back'],
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['an address without a port', { addr: 'localhost' }, '--addr: "localhost" is not host:port'],
    ['a subnet that is none', { proxyAddresses: '10.0.0.0/33' }, '--trusted-proxies: "10.0.0.0/33" is not a list of'],
    ['a name instead of an address', { proxyAddresses: 'ks-apiserver' }, '--trusted-proxies: "ks-apiserver" is not'],
    ['everybody, misspelt', { proxyAddresses: '0.0.0.0/' }, '--trusted-proxies: "0.0.0.0/" is not'],
    [
      'a public address that is no URL',
      { publicUrls: 'ks.example' },
      '--public-url: "ks.example" is not a list of URLs',
    ],
    ['no requests', { requestsPerMinute: '0' }, '--requests-per-minute: "0" is not a whole number'],
    ['a certificate without its key', { tlsCertFile: 'a' }, 'set both or none'],
    ['client certificates without TLS', { clientCaFile: 'a' }, '--client-ca-file: it needs --tls-cert-file'],
    ['proxies without TLS', { proxyCaFile: 'a' }, '--requestheader-client-ca-file: it needs --tls-cert-file'],
    ['names of certificates of nobody', { proxyNames: 'front' }, 'it needs --requestheader-client-ca-file'],
    ['an empty file name', { tlsCertFile: '' }, '--tls-cert-file: "" is not a valid file'],
  ])('refuse %s', (_, raw, message) => expect(() => parseConsoleOptions(raw)).toThrow(message));

  test.each<[string, boolean]>([
    ['127.0.0.1:0', true],
    ['[::1]:8090', true],
    ['localhost:8090', true],
    [':8090', false],
    ['0.0.0.0:8090', false],
    ['[::]:8090', false],
    ['192.0.2.7:8090', false],
    ['console.example.org:8090', false],
  ])('at %s, links sign somebody in: %s', (addr, isAllowed) => {
    const parse = () => parseConsoleOptions({ addr, oneTimeLogin: true });
    if (isAllowed) expect(parse()).toMatchObject({ oneTimeLogin: true });
    else expect(parse).toThrow('--one-time-login: it needs an --addr on loopback');
  });
});
