import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, readContent, validAt } from '#controllers/application/model/destinations/validate.js';
import { application, deploy, NO_CLUSTERS, observed } from '../builders.js';

const APP = application([deploy('prod', 'eu', { values: { image: 'a' } })]);

function contentIn(app = APP) {
  const { validation } = observed(app);
  return 'violation' in validation ? undefined : contentOf(validation.resolved);
}

describe('the content of a revision', () => {
  it('is what the spec says for Flux, whatever else it says', () => {
    expect(contentIn()).toEqual({ spec: APP.spec.fluxApp?.spec, templates: {} });
    expect(contentIn({ ...APP, spec: { ...APP.spec, maxRemovals: 3 } })).toEqual(contentIn());
  });

  it('is read back as it was written, and nothing else is', () => {
    const content = contentIn();
    expect(readContent(JSON.parse(JSON.stringify(content)))).toEqual(content);
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(() => readContent(value)).not.toThrow()));
    expect(readContent({ spec: { source: {} } })).toBeUndefined();
    expect(readContent({ spec: { config: [] }, templates: {} })).toBeUndefined();
  });

  it('is expanded to the destinations that it has', () => {
    const content = contentIn();
    if (content === undefined) throw new Error('it has no content');
    const valid = validAt(application([]), content, NO_CLUSTERS);
    if ('violation' in valid) throw new Error(valid.violation.message);
    expect(valid.entries.map(({ clusterName, fields }) => [clusterName, fields['values']])).toEqual([
      ['eu', { image: 'a' }],
    ]);
  });
});
