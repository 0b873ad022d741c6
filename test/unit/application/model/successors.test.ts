import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child, ReleaseKey } from '#controllers/application/model/child/types.js';
import { liveReleaseKey } from '#controllers/application/model/destinations/identity.js';
import {
  type Claimant,
  claimantOf,
  entriesByRelease,
  successorOf,
} from '#controllers/application/model/children/successors.js';
import { application, applied, deploy, type Deploy, entriesOf, NO_CLUSTERS, NO_TEMPLATES, work } from './builders.js';
import { validate } from '#controllers/application/model/destinations/validate.js';

const eu = deploy('prod', 'eu');
const history = [{ name: 'web', namespace: 'prod', version: 1, chartName: 'podinfo', status: 'deployed' }];
const [made] = applied([], work(application([eu])).steps);
const CHILD: Child = { ...made!, status: { history, storageNamespace: 'prod' } };
const RULES = { allowCrossNamespace: false, controllerNamespace: '' };

/** An Application that says which release it means, and was created in that second. */
function other(name: string, entries: Deploy[], second = 0): Application {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  const metadata = { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp };
  return application(
    entries.map((entry) => ({ releaseName: 'web', ...entry })),
    { metadata },
  );
}

function claimant(app: Application, has: Claimant['has'] = () => false): Claimant {
  const validation = validate(app, { templates: NO_TEMPLATES, clusters: NO_CLUSTERS }, RULES);
  return claimantOf(app, validation, { stated: entriesByRelease(entriesOf(app)), has });
}

const withChart = (app: Application, chart: string): Application => {
  const config = { helmRelease: { chart: { chart, version: '1.0.0' }, deploy: [{ ...eu, releaseName: 'web' }] } };
  return { ...app, spec: { ...app.spec, fluxApp: { spec: { ...app.spec.fluxApp!.spec, config } } } };
};
const invalid = (app: Application): Application => ({ ...app, spec: { ...app.spec, maxRemovals: 'many' } });
const nameOf = (child: Child, apps: readonly Application[]) =>
  successorOf(
    child,
    apps.map((app) => claimant(app)),
  )?.name;

describe('the Application that is to have a child', () => {
  it.each<[string, readonly Application[], string | undefined]>([
    ['specifies its release', [other('b', [eu])], 'b'],
    ['is the oldest of several', [other('c', [eu], 2), other('b', [eu], 1)], 'b'],
    ['is none without another one', [], undefined],
    ['is not one for another cluster', [other('b', [deploy('prod', 'us')])], undefined],
    ['is not one for another release', [other('b', [{ ...eu, releaseName: 'api' }])], undefined],
    ['is not one with another chart', [withChart(other('b', [eu]), 'nginx')], undefined],
    ['is not one that installs it once', [other('b', [{ ...eu, mode: 'Once' }])], undefined],
    ['is rather one that is valid', [invalid(other('b', [eu], 1)), other('c', [eu], 2)], 'c'],
  ])('%s', (_, apps, name) => {
    expect(nameOf(CHILD, apps)).toBe(name);
  });

  it('is not known while one that is not valid specifies it', () => {
    expect(successorOf(CHILD, [claimant(invalid(other('b', [eu])))])).toMatchObject({ name: 'b', uid: 'uid-b' });
    expect(successorOf(CHILD, [claimant(invalid(other('b', [eu])))])?.doubt).toMatch(/not valid/);
    expect(successorOf(CHILD, [claimant(invalid(other('b', [deploy('prod', 'us')])))])).toBeUndefined();
    const pending = { ...claimant(other('b', [eu])), valid: undefined };
    expect(successorOf(CHILD, [pending])?.doubt).toMatch(/not valid/);
  });

  it('is not known while its entry is rejected', () => {
    expect(successorOf(CHILD, [claimant(other('b', [eu, eu]))])?.doubt).toMatch(/rejected/);
  });

  it('gives what it has and does not specify any more', () => {
    const key = (releaseName: string): ReleaseKey => ({ ...liveReleaseKey(CHILD), releaseName });
    const found = successorOf(CHILD, [
      claimant(
        other('b', [eu, deploy('prod', 'eu', { releaseName: 'kept' })]),
        ({ releaseName }) => releaseName !== 'no',
      ),
    ]);
    expect(['given', 'kept', 'no', 'web'].map((name) => found?.gives?.(key(name)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('is none while the child leaves another release', () => {
    const moving: Child = { ...CHILD, status: { history: [{ ...history[0]!, name: 'old' }] } };
    expect(nameOf(moving, [other('b', [eu])])).toBeUndefined();
  });
});
