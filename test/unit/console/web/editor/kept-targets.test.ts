import { expect, it } from '@jest/globals';
import { formOf, PLACES, TARGETS, type Target } from '#console/web/editor/model/application-form.js';
import { chooseTarget, type KeptTargets } from '#console/web/editor/model/ways.js';
import { editYaml, textsIn, valueAt, type Edit } from '#console/web/model/yaml-edit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';

/** The form of one destination. */
function formFor(destination: object, values: object = {}) {
  const kept: KeptTargets = new Map();
  const spec = { fluxApp: { spec: { config: { helmRelease: { deploy: [{ destination, ...values }] } } } } };
  let text = printYaml({ spec });
  const valueOf = (): PlainMap => {
    const value = parseYaml(text);
    if (!isMap(value)) throw new Error('it is no map any more');
    return value;
  };
  const edit = (edits: readonly Edit[]): void => {
    text = editYaml(text, edits);
  };
  const choose = (...targets: readonly Target[]): unknown => {
    for (const to of targets) {
      const value = valueOf();
      const [shown] = formOf(value).destinations;
      if (shown !== undefined) edit(chooseTarget(kept, { value, textAt: textsIn(text, value) }, shown, to));
    }
    return valueAt(valueOf(), [...PLACES.deploy, 0, 'destination']);
  };
  return { choose, edit };
}

const SELECTOR = { clusterSelector: { matchLabels: { env: 'prod' }, exclude: ['eu'] }, targetNamespace: 'shop' };
const REFERENCE = { clusterRef: { apiGroup: 'x', kind: 'Cluster', namespace: 'fleet', name: 'eu' } };
const SECRET = { kubeConfig: { secretRef: { name: 'eu', key: 'config' } } };

it.each([[SELECTOR], [REFERENCE], [SECRET], [{ targetNamespace: 'shop' }]])('comes back to %j', (destination) => {
  const { choose } = formFor(destination);
  const [own = 'here'] = TARGETS.filter((each) => each in destination);
  const others = TARGETS.filter((each) => each !== own);
  expect(choose(...others, ...[...others].reverse(), own)).toEqual(destination);
});

it('goes on with a name that was changed meanwhile', () => {
  const { choose, edit } = formFor(REFERENCE);
  choose('kubeConfig');
  edit([{ path: [...PLACES.deploy, 0, 'destination', 'kubeConfig', 'secretRef', 'name'], value: 'us' }]);
  expect(choose('clusterRef')).toEqual({ clusterRef: { kind: 'Cluster', name: 'us' } });
  expect(choose('clusterSelector')).toEqual({ clusterSelector: { matchLabels: {} } });
});
