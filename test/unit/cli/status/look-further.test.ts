import { describe, expect, test } from '@jest/globals';
import { approvals, lookFurther } from '#cli/status/look-further.js';
import { worstFirst } from '#cli/status/model/status-table.js';
import { sortedViews } from '#queries/views/application-view.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

function blaming(cluster: string, cause: string): string {
  const message = `timeout waiting for: [Deployment/app/web: InProgress: Available: 0/1: Pod/app/web-1: ${cause}]`;
  return `
conditions: [{ type: Ready, status: "False", reason: DestinationsFailed, message: "" }]
destinations:
  - { name: a, cluster: ${cluster}, state: Failed, message: "${message}", child: { kind: HelmRelease, name: web-a } }
`;
}

describe('what looks further', () => {
  test.each([
    ['is nothing where all is well or on its way', [application('web', RUNNING)], []],
    [
      'describes the Application where it is wrong as a whole',
      [application('web', STALLED)],
      ['kubectl -n shop describe gapp web'],
    ],
    [
      'describes the child of a destination, once',
      [
        application(
          'web',
          `
conditions: [{ type: Ready, status: "False", reason: DestinationsFailed, message: "" }]
destinations:
  - { name: a, state: Failed, message: x, child: { kind: HelmRelease, name: web-a } }
  - { name: b, state: Failed, message: x, child: { kind: Kustomization, name: web-b } }
  - { name: c, state: Failed, message: x, child: { kind: HelmRelease, name: web-a } }
`,
        ),
      ],
      ['kubectl -n shop describe helmrelease web-a', 'kubectl -n shop describe kustomization web-b'],
    ],
    [
      'reads what a crashing container of another cluster printed',
      [application('web', blaming('prod', 'container main: restarted after exit code 1'))],
      [
        'kubectl -n shop describe helmrelease web-a',
        'kubectl -n app logs web-1 -c main --previous   # on the cluster of prod',
      ],
    ],
    [
      'prints no command with a name that a shell or kubectl would run',
      [
        application(
          'web',
          `
conditions: [{ type: Ready, status: "False", reason: DestinationsFailed, message: "" }]
destinations:
  - { name: a, state: Failed, message: x, child: { kind: HelmRelease, name: "$(reboot)" } }
  - { name: b, state: Failed, message: "Pod/app/--raw: container main: exit code 1", child: { kind: HelmRelease, name: web-b } }
`,
        ),
      ],
      ['kubectl -n shop describe helmrelease web-b'],
    ],
    [
      'describes a pod that never ran',
      [application('web', blaming('host', 'container main: ImagePullBackOff'))],
      ['kubectl -n shop describe helmrelease web-a', 'kubectl -n app describe pod web-1'],
    ],
  ])('%s', (_, applications, expected) => {
    expect(lookFurther(worstFirst(sortedViews(applications)))).toEqual(expected);
  });
});

test('removals that wait are approved by a command that a shell takes as it stands', () => {
  const views = (approval: string) => sortedViews([application('web', `removals: { approval: "${approval}" }`)]);
  const command = "kubectl annotate --overwrite gapp web -n shop gitops.kubesphere.io/approve-removals='abc234'";
  expect(approvals(views('abc234'))).toEqual([command]);
  expect(approvals(views("a'; rm -rf"))).toEqual([]);
  expect(approvals([...sortedViews([application('web')])])).toEqual([]);
});
