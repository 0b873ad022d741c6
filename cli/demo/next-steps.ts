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

function environment({ program, dir, kubeconfig }: NextSteps): string {
  if (kubeconfig !== undefined) return `export KUBECONFIG='${kubeconfig}'`;
  return `eval "$(${program} sandbox env${dir === undefined ? '' : ` --dir '${dir}'`})"`;
}

/** What to do with first-light: in the sandbox it was upgraded already. */
function changes({ program, namespace, kubeconfig }: NextSteps): string[] {
  if (kubeconfig !== undefined)
    return [`  kubectl -n ${namespace} patch gapp first-light --type merge -p '${UPGRADE}'`];
  return [`  ${program} history first-light -n ${namespace}`, `  ${program} rollback first-light -n ${namespace}`];
}

/** Commands to try in another terminal. */
export function nextSteps(where: NextSteps): string {
  const { program, namespace, kubeconfig } = where;
  const member = kubeconfig === undefined ? '--kube-context member-2 ' : '';
  return [
    'What to try next, in another terminal:',
    `  ${environment(where)}`,
    `  kubectl -n ${namespace} get gapp`,
    `  helm ${member}list -A`,
    ...changes(where),
    `  ${program} status -n ${namespace} --watch`,
    `  kubectl -n ${namespace} delete gapp first-light`,
  ].join('\n');
}
