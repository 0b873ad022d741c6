import { describe, expect, it } from '@jest/globals';
import {
  eventCommands,
  liveDiffCommands,
  manifestCommands,
  objectCommands,
  planCommands,
  treeCommands,
  valueCommands,
} from '#console/web/application/model/member-paths.js';

const WEB = { namespace: 'shop', name: 'web', cluster: '' };
const POD = { kind: 'Pod', name: 'web-0', containers: ['app'] };

describe('the commands', () => {
  it.each([
    [treeCommands(WEB), ['fairlead tree web --namespace shop']],
    [eventCommands({ ...WEB, cluster: 'eu' }), ['fairlead events web --namespace shop --cluster eu']],
    [
      manifestCommands({ kind: 'HelmRelease', namespace: 'app', release: 'web' }),
      ['helm get manifest web --namespace app'],
    ],
    [manifestCommands({ kind: 'Kustomization', namespace: 'app', release: '' }), []],
    [manifestCommands({ kind: 'HelmRelease', namespace: 'app', release: 'a;b' }), []],
    [liveDiffCommands({ ...WEB, cluster: 'eu' }), ['fairlead diff --live web --namespace shop --cluster eu']],
    [planCommands({ ...WEB, cluster: 'a;b' }), ['fairlead diff web --namespace shop']],
    [valueCommands(WEB), ['fairlead explain web --namespace shop']],
    [
      objectCommands({ ...WEB, cluster: 'eu' }, POD),
      ['fairlead logs web --namespace shop --cluster eu --pod web-0 --follow'],
    ],
    [
      objectCommands(WEB, { ...POD, containers: ['app', 'b'], blamed: { container: 'b', isRestarting: true } }),
      ['fairlead logs web --namespace shop --pod web-0 -c b -p'],
    ],
    [objectCommands(WEB, { ...POD, kind: 'Deployment' }), []],
    [objectCommands(WEB, { ...POD, containers: [] }), []],
  ])('say the same', (commands, expected) => {
    expect(commands.map(({ command }) => command)).toEqual(expected);
  });

  it('have no name that a shell would obey', () => {
    for (const name of ['$(reboot)', 'a;b', '-f', 'a b', '']) {
      expect(treeCommands({ ...WEB, name })).toEqual([]);
      expect(objectCommands(WEB, { ...POD, name })).toEqual([]);
      if (name !== '') expect(eventCommands({ ...WEB, cluster: name })).toEqual([]);
    }
  });
});
