export interface NextSteps {
  /** How the user types `fairlead`. */
  readonly program: string;
  readonly namespace: string;
  /** Folder of the sandbox, when it is not the default one. */
  readonly dir?: string | undefined;
  /** Kubeconfig of the user's own host; absent in the sandbox. */
  readonly kubeconfig?: string | undefined;
}

const UPGRADE = '{"spec":{"fluxApp":{"spec":{"config":{"helmRelease":{"chart":{"version":"1.5.0"}}}}}}}';
/** Makes a pod of the sandbox fail; sandbox/README.md describes the annotation. */
const BREAK = JSON.stringify([
  {
    op: 'add',
    path: '/spec/fluxApp/spec/config/helmRelease/deploy/0/values/podAnnotations',
    value: { 'sandbox.fairlead.dev/outcome': 'no-image' },
  },
]);

function environment({ program, dir, kubeconfig }: NextSteps): string {
  if (kubeconfig !== undefined) return `export KUBECONFIG='${kubeconfig}'`;
  return `eval "$(${program} sandbox env${dir === undefined ? '' : ` --dir '${dir}'`})"`;
}

/** Commands that change first-light. The sandbox has already upgraded it, and can make one of its pods fail. */
function changes({ namespace, kubeconfig }: NextSteps, fairlead: string): string[] {
  if (kubeconfig !== undefined)
    return [`  kubectl -n ${namespace} patch gapp first-light --type merge -p '${UPGRADE}'`];
  return [
    `  ${fairlead} history first-light -n ${namespace}`,
    `  kubectl -n ${namespace} patch gapp first-light --type json -p '${BREAK}'`,
    `  ${fairlead} tree first-light -n ${namespace} --cluster host`,
    `  ${fairlead} rollback first-light -n ${namespace}`,
  ];
}

/** Commands to try in another terminal. */
export function nextSteps(where: NextSteps): string {
  const { program, namespace, kubeconfig } = where;
  const member = kubeconfig === undefined ? '--kube-context member-2 ' : '';
  // `fairlead` is on the PATH of the sandbox's environment.
  const fairlead = kubeconfig === undefined ? 'fairlead' : program;
  return [
    'What to try next, in another terminal:',
    `  ${environment(where)}`,
    `  kubectl -n ${namespace} get gapp`,
    `  helm ${member}list -A`,
    ...changes(where, fairlead),
    `  ${fairlead} status -n ${namespace} --watch`,
    `  kubectl -n ${namespace} delete gapp first-light`,
  ].join('\n');
}
