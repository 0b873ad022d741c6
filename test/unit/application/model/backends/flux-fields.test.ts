import { describe, expect, it } from '@jest/globals';
import type { Layer } from '#controllers/application/model/child/layers.js';
import { rejectedEntries } from '#controllers/application/model/destinations/rejected.js';
import { application, deploy, entriesOf, files, filesApplication, type Deploy } from '../builders.js';

const IGNORED = [{ paths: ['/spec/replicas'] }];

function fieldsOf(more: Partial<Deploy>): Layer | undefined {
  return entriesOf(application([deploy('prod', undefined, more)]))[0]?.fields;
}

describe('the fields of an entry for a Helm release', () => {
  it.each<[string, Partial<Deploy>, Layer]>([
    ['paused', { paused: true }, { suspend: true }],
    ['not paused', { paused: false }, { suspend: false }],
    ['drift corrected', { correctDrift: { enabled: true } }, { driftDetection: { mode: 'enabled' } }],
    ['not corrected', { correctDrift: { enabled: false, force: false } }, { driftDetection: { mode: 'disabled' } }],
    ['differences ignored', { ignore: IGNORED }, { driftDetection: { ignore: IGNORED } }],
    [
      'next to other parts of drift detection',
      { driftDetection: { mode: 'warn' }, ignore: IGNORED },
      { driftDetection: { mode: 'warn', ignore: IGNORED } },
    ],
    [
      'both',
      { correctDrift: { enabled: true }, ignore: IGNORED },
      { driftDetection: { mode: 'enabled', ignore: IGNORED } },
    ],
    ['as Flux names them', { suspend: true }, { suspend: true }],
  ])('%s', (_name, more, fields) => expect(fieldsOf(more)).toEqual({ interval: '10m', ...fields }));

  it.each<[string, Partial<Deploy>]>([
    ['paused and suspend', { paused: true, suspend: true }],
    ['correctDrift and driftDetection.mode', { correctDrift: { enabled: true }, driftDetection: { mode: 'warn' } }],
    ['ignore and driftDetection.ignore', { ignore: IGNORED, driftDetection: { ignore: IGNORED } }],
    ['correctDrift.force', { correctDrift: { enabled: true, force: true } }],
  ])('are rejected with %s', (message, more) => {
    const [found] = rejectedEntries(entriesOf(application([deploy('prod', undefined, more)])));
    expect(found?.violation.reason).toBe('FieldConflict');
    expect(found?.violation.message).toContain(`deploy[0].${message}`);
    // It has no effect with server-side apply.
    expect(found?.violation.message).not.toContain('upgrade.force');
  });
});

describe('the fields of an entry for files', () => {
  it('may be paused, and ignore differences by their own field', () => {
    const [entry] = entriesOf(filesApplication([files('prod', undefined, { paused: true, ignore: IGNORED })]));
    expect(entry?.fields).toEqual({ interval: '10m', prune: true, suspend: true, ignore: IGNORED });
  });

  it('are rejected if they are paused and suspended', () => {
    const [found] = rejectedEntries(
      entriesOf(filesApplication([files('a', undefined, { paused: true, suspend: false })])),
    );
    expect(found?.violation.reason).toBe('FieldConflict');
  });
});
