import { describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { createLogger } from '#runtime/process/log.js';

function linesOf(write: (log: Logger) => void): string[] {
  const lines: string[] = [];
  write(createLogger('info', { write: (line) => lines.push(line) }));
  return lines;
}

describe('createLogger', () => {
  it.each(['token', 'password', 'kubeconfig', 'authorization', 'data', 'stringData'])('never prints %s', (field) => {
    const lines = linesOf((log) => {
      log.info({ [field]: 'very secret' }, 'top');
      log.info({ request: { [field]: 'very secret' } }, 'below');
      log.info({ request: { object: { [field]: 'very secret' } } }, 'deeper');
    });
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).not.toContain('very secret');
      expect(line).toContain('[redacted]');
    }
  });

  it('prints JSON lines with a time, a level by name and the fields of its parents', () => {
    const [line = '{}'] = linesOf((log) =>
      log.child({ controller: 'application' }).warn({ key: 'shop/web' }, 'reconcile failed'),
    );
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      controller: 'application',
      key: 'shop/web',
      msg: 'reconcile failed',
    });
  });
});
