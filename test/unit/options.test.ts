import { describe, expect, it } from '@jest/globals';
import { OPTIONS, parseAddress, parseOptions } from '../../controllers/options.js';

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
    ['concurrent', '0', '--concurrent: "0" is not a whole number above 0'],
    ['requeueDependencyMs', '5', '--requeue-dependency: "5" is not a valid duration'],
    ['leaseDurationMs', '12500ms', '--leader-election-lease-duration: "12500ms" is not a duration of whole seconds'],
    [
      'leaseDurationMs',
      '10s',
      '--leader-election-renew-deadline: must be shorter than --leader-election-lease-duration',
    ],
    ['renewDeadlineMs', '4s', '--leader-election-retry-period: must be above 0 and shorter than half of'],
  ])('refuses %s=%s and names the flag', (key, value, message) => {
    expect(() => parseOptions({ [key]: value })).toThrow(message);
  });
});

describe('parseAddress', () => {
  it.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    [':9090', { host: '', port: 9090 }],
  ])('reads %s', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  it.each(['8080', 'host:', 'host:70000', 'host:x'])('refuses %s', (text) => {
    expect(() => parseAddress(text)).toThrow('is not host:port');
  });
});
