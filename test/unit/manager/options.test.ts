import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { urlOf } from '#manager/option-values.js';
import { OPTIONS, parseOptions } from '#manager/options.js';

describe('parseOptions', () => {
  it('gives every documented default', () => {
    expect(parseOptions({})).toMatchObject({
      engine: 'auto',
      concurrent: 4,
      requeueDependencyMs: 30_000,
      noCrossNamespaceRefs: false,
      helmPath: 'helm',
      kubeconfig: undefined,
      leaderElect: false,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      fluxNamespace: 'flux-system',
    });
  });

  it('has one row and one flag for each option', () => {
    expect(new Set(OPTIONS.map((row) => row.flag)).size).toBe(OPTIONS.length);
    expect(Object.keys(parseOptions({})).sort()).toEqual(OPTIONS.map((row) => row.key).sort());
  });

  it.each([
    ['engine', 'flux', '--engine: "flux" is not one of auto, embedded, external'],
    ['concurrent', '0', '--concurrent: "0" is not a whole number from 1 to 100'],
    ['concurrent', '1000000000', '--concurrent: "1000000000" is not a whole number from 1 to 100'],
    ['requeueDependencyMs', '5', '--requeue-dependency: "5" is not a duration from 1s to 1h'],
    ['requeueDependencyMs', '0s', '--requeue-dependency: "0s" is not a duration from 1s to 1h'],
    ['shutdownTimeoutMs', '876000h', '--graceful-shutdown-timeout: "876000h" is not a duration of up to 1h'],
    ['leaseDurationMs', '12500ms', '--leader-election-lease-duration: "12500ms" is not a duration of whole seconds'],
    ['retryPeriodMs', '0s', '--leader-election-retry-period: "0s" is not a duration of up to 1h'],
    [
      'leaseDurationMs',
      '10s',
      '--leader-election-renew-deadline: must be shorter than --leader-election-lease-duration',
    ],
    ['renewDeadlineMs', '4s', '--leader-election-retry-period: must be shorter than half of'],
  ])('refuses %s=%s and names the flag', (key, value, message) => {
    expect(() => parseOptions({ [key]: value })).toThrow(message);
  });
});

it('names every wrong value, one line for each', () => {
  const parse = (): unknown => parseOptions({ engine: 'flux', concurrent: '0' });
  expect(parse).toThrow(/^--engine: "flux" is not [^\n]+\n--concurrent: "0" is not a whole number from 1 to 100$/);
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    [':9090', { host: '', port: 9090 }],
  ])('reads %s', (text, expected) => {
    expect(parseOptions({ healthAddr: text }).healthAddr).toEqual(expected);
  });

  it.each([
    ['127.0.0.1:9090', 'http://127.0.0.1:9090/'],
    ['localhost:9090', 'http://localhost:9090/'],
    ['[::1]:9090', 'http://[::1]:9090/'],
    ['::1:9090', 'http://[::1]:9090/'],
    [':9090', 'http://127.0.0.1:9090/'],
  ])('artifacts of %s are at %s', (text, url) => {
    expect(new URL(urlOf(parseOptions({ storageAddr: text }).storageAddr)).href).toBe(url);
  });

  it.each(['8080', 'host:', 'host:70000', 'host:x'])('refuses %s', (text) => {
    expect(() => parseOptions({ storageAddr: text })).toThrow(`--storage-addr: "${text}" is not host:port`);
  });
});

describe('a quota', () => {
  it.each([
    ['1', 1],
    ['500Ki', 512_000],
    ['100Mi', 104_857_600],
    ['10Gi', 10_737_418_240],
    ['2Ti', 2_199_023_255_552],
  ])('reads %s', (text, expected) => {
    expect(parseOptions({ storageQuotaBytes: text }).storageQuotaBytes).toBe(expected);
  });

  it.each(['0', '-1', '1.5Gi', '10GB', '10 Gi', '1e9', ''])('rejects %j', (text) => {
    expect(() => parseOptions({ storageQuotaBytes: text })).toThrow(
      `--storage-quota: "${text}" is not a number of bytes`,
    );
  });

  it('is left to the size of the volume by default', () => {
    expect(parseOptions({}).storageQuotaBytes).toBeUndefined();
  });
});

it('has the same folder of the storage wherever a program reads it from', () => {
  expect(parseOptions({ storagePath: 'st' }).storagePath).toBe(path.resolve('st'));
  expect(parseOptions({}).storagePath).toBe('/data');
});
